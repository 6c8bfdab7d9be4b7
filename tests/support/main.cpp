#include <gmock/gmock.h>

#include <cstdio>
#include <string>

#include "tests/support/mutant_hits.hpp"
#include "tests/support/test_clock.hpp"
#include "tests/support/test_sources.hpp"

// Main function of all tests except those that mpiexec starts.
int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (const char* twice = cisolve::test::tests_registered_twice(); *twice != '\0') {
    std::fprintf(stderr, "[  FAILED  ] registered twice in this program: %s\n", twice);
    return 1;
  }
  if (const std::string wrong = cisolve::test::choose_tests_by_source(); !wrong.empty()) {
    std::fprintf(stderr, "[  FAILED  ] %s\n", wrong.c_str());
    return 1;
  }
  cisolve::test::watch_tests(cisolve::test::test_limits());
  cisolve::test::MutantHits::append_if_wanted();
  return RUN_ALL_TESTS();
}
