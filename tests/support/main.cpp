#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/sanitizers.hpp"

// The main function of all tests: one that hangs ends within its own limit and names itself.
namespace {

using cisolve::test::unless_sanitized;

/// In seconds by the clock, for each test of a program; CISOLVE_TEST_LIMIT names another.
unsigned limit() {
  const char* wanted = std::getenv("CISOLVE_TEST_LIMIT");
  return wanted == nullptr ? unless_sanitized(120U, 360U)
                           : static_cast<unsigned>(std::atoi(wanted));
}

std::array<char, 512> verdict{};  // written beforehand: a signal handler may not compose it

extern "C" void end_of_time(int) {
  const auto written = write(STDERR_FILENO, verdict.data(), std::strlen(verdict.data()));
  _exit(written > 0 ? 1 : 2);
}

class TimeLimit final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    std::snprintf(verdict.data(), verdict.size(), "[  FAILED  ] %s.%s did not end within %u s\n",
                  test.test_suite_name(), test.name(), limit());
    alarm(limit());
  }
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override { alarm(0); }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  std::signal(SIGALRM, end_of_time);
  ::testing::UnitTest::GetInstance()->listeners().Append(new TimeLimit);  // which then owns it
  return RUN_ALL_TESTS();
}
