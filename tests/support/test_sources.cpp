#include "tests/support/test_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace cisolve::test {
namespace {

using Names = std::vector<std::string>;

Names names_in(const char* variable) {
  const char* value = std::getenv(variable);
  std::istringstream text(value == nullptr ? "" : value);
  Names names;
  for (std::string name; std::getline(text, name, ':');)
    if (!name.empty()) names.push_back(name);
  return names;
}

std::vector<const ::testing::TestInfo*> all_tests() {
  std::vector<const ::testing::TestInfo*> tests;
  const ::testing::UnitTest& program = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) tests.push_back(suite.GetTestInfo(j));
  }
  return tests;
}

bool is_in(const ::testing::TestInfo& test, const std::string& source) {
  const std::string_view file = test.file();
  return file.ends_with("/" + source) || file == source;
}

bool is_in_any(const ::testing::TestInfo& test, const Names& sources) {
  return std::ranges::any_of(sources,
                             [&](const std::string& source) { return is_in(test, source); });
}

}  // namespace

std::string choose_tests_by_source() {
  const Names registered = names_in("CISOLVE_TEST_ALL_SOURCES");
  const Names chosen = names_in("CISOLVE_TEST_SOURCES");
  const std::vector<const ::testing::TestInfo*> tests = all_tests();
  for (const ::testing::TestInfo* test : tests)
    if (!registered.empty() && !is_in_any(*test, registered))
      return std::string(test->file()) +
             " has tests, but no cisolve_test() of this program names it among its SOURCES";
  for (const std::string& source : chosen)
    if (std::ranges::none_of(tests, [&](const auto* test) { return is_in(*test, source); }))
      return "no test of this program is in " + source + ", which CISOLVE_TEST_SOURCES names";
  std::string& filter = ::testing::GTEST_FLAG(filter);
  if (chosen.empty() || filter.empty()) return "";
  // A filter excludes what follows its first '-'.
  if (filter.find('-') == std::string::npos) filter += "-";
  for (const ::testing::TestInfo* test : tests)
    if (!is_in_any(*test, chosen))
      filter += std::string(":") + test->test_suite_name() + "." + test->name();
  return "";
}

}  // namespace cisolve::test
