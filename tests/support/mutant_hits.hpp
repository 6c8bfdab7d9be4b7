#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

// In a build of scripts/mutate sources record the mutants that a process executes, in a file for
// each test, such as Suite.Name, or Suite.* for what a suite does before its first one. A no-op
// elsewhere.
extern "C" __attribute__((weak)) void cisolve_mutant_test(const char* test);

namespace cisolve::test {

class MutantHits final : public ::testing::EmptyTestEventListener {
 public:
  static void append_if_wanted() {
    if (std::getenv("CISOLVE_MUTANT_HITS") != nullptr)
      ::testing::UnitTest::GetInstance()->listeners().Append(
          std::make_unique<MutantHits>().release());
  }

 private:
  void OnTestSuiteStart(const ::testing::TestSuite& suite) override {
    begin(std::string(suite.name()) + ".*");
  }
  void OnTestStart(const ::testing::TestInfo& test) override {
    begin(std::string(test.test_suite_name()) + "." + test.name());
  }
  /// A program that the test starts finds the name in its environment.
  static void begin(std::string name) {
    std::ranges::replace(name, '/', '%');
    setenv("CISOLVE_MUTANT_TEST", name.c_str(), 1);
    if (cisolve_mutant_test != nullptr) cisolve_mutant_test(name.c_str());
  }
};

}  // namespace cisolve::test
