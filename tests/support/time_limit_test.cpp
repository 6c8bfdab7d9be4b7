#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/test_clock.hpp"

namespace cisolve::test {
namespace {

bool is_asked_for(const char* what) {
  const char* asked = std::getenv("CISOLVE_TEST_HANGS");
  return asked != nullptr && std::string(asked) == what;
}

TEST(TimeLimit, HangsOnRequest) {
  while (is_asked_for("waiting")) pause();
  const double begin = processor_seconds_of(getpid());
  while (is_asked_for("computing") && processor_seconds_of(getpid()) - begin < 60) {
  }
  if (is_asked_for("child")) {
    EXPECT_NE(std::system("while :; do :; done"), 0);
  }
}

/// Output of this program, with a limit of one second for each test, if a test hangs in the given
/// way.
std::string said_of_hanging(const std::string& way) {
  const std::string command = "CISOLVE_TEST_HANGS=" + way +
                              " CISOLVE_TEST_LIMIT=1 GTEST_OUTPUT= timeout 60 '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter='*HangsOnRequest*' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  EXPECT_NE(pclose(pipe), 0);
  return text;
}

TEST(TimeLimit, ATestThatWaitsForeverEndsAndNamesItself) {
  EXPECT_NE(said_of_hanging("waiting").find("TimeLimit.HangsOnRequest did not end within "
                                            "1 seconds in which nothing was computed"),
            std::string::npos);
}

TEST(TimeLimit, ATestThatComputesForeverEndsAndNamesItself) {
  EXPECT_NE(said_of_hanging("computing")
                .find("TimeLimit.HangsOnRequest did not end within 1 seconds of "
                      "processor time"),
            std::string::npos);
}

TEST(TimeLimit, ProcessesThatATestStartsAreCounted) {
  EXPECT_NE(said_of_hanging("child").find("did not end within 1 seconds of processor time"),
            std::string::npos);
}

}  // namespace
}  // namespace cisolve::test
