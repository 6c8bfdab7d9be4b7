#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace cisolve::test {
namespace {

TEST(TimeLimit, HangsWhereThatIsAskedFor) {
  while (std::getenv("CISOLVE_TEST_HANGS") != nullptr) pause();
}

TEST(TimeLimit, ATestThatHangsEndsAndNamesItself) {
  const std::string command = "CISOLVE_TEST_HANGS=1 CISOLVE_TEST_LIMIT=1 GTEST_OUTPUT= '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter='*HangsWhere*' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  EXPECT_NE(pclose(pipe), 0);
  EXPECT_NE(text.find("TimeLimit.HangsWhereThatIsAskedFor did not end within 1 s"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace cisolve::test
