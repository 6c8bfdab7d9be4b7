#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace cisolve::test {
namespace {

struct ProgramResult {
  std::string text;
  bool succeeded = false;
};

/// Output of this program when started with these variables and arguments.
ProgramResult result_with(const std::string& variables, const std::string& arguments) {
  const std::string command =
      "CISOLVE_TEST_SOURCES= CISOLVE_TEST_ALL_SOURCES= GTEST_OUTPUT= " + variables + " '" +
      std::filesystem::read_symlink("/proc/self/exe").string() + "' " + arguments + " 2>&1";
  ProgramResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) result.text += piece.data();
  result.succeeded = pclose(pipe) == 0;
  return result;
}

bool has(const ProgramResult& result, const std::string& words) {
  return result.text.find(words) != std::string::npos;
}

TEST(TestSources, WithoutANameAllTestsAreChosen) {
  const ProgramResult result = result_with("", "--gtest_list_tests");
  EXPECT_TRUE(result.succeeded);
  EXPECT_TRUE(has(result, "TestSources.")) << result.text;
  EXPECT_TRUE(has(result, "TimeLimit.")) << result.text;
}

TEST(TestSources, TestsOfTheNamedSourcesAreChosen) {
  const ProgramResult one =
      result_with("CISOLVE_TEST_SOURCES=time_limit_test.cpp", "--gtest_list_tests");
  EXPECT_TRUE(one.succeeded);
  EXPECT_FALSE(has(one, "TestSources.")) << one.text;
  EXPECT_TRUE(has(one, "TimeLimit.")) << one.text;
  const ProgramResult both = result_with(
      "CISOLVE_TEST_SOURCES=support/test_sources_test.cpp:tests/support/time_limit_test.cpp",
      "--gtest_list_tests");
  EXPECT_TRUE(has(both, "TestSources.")) << both.text;
  EXPECT_TRUE(has(both, "TimeLimit.")) << both.text;
}

TEST(TestSources, AFilterChoosesAmongThem) {
  const std::string variable = "CISOLVE_TEST_SOURCES=test_sources_test.cpp";
  const ProgramResult some =
      result_with(variable, "--gtest_list_tests --gtest_filter='*Chosen:TimeLimit.*'");
  EXPECT_TRUE(has(some, "WithoutANameAllTestsAreChosen")) << some.text;
  EXPECT_FALSE(has(some, "AFilterChoosesAmongThem")) << some.text;
  EXPECT_FALSE(has(some, "TimeLimit.")) << some.text;
  const ProgramResult rest = result_with(variable, "--gtest_list_tests --gtest_filter='-*Chosen'");
  EXPECT_FALSE(has(rest, "WithoutANameAllTestsAreChosen")) << rest.text;
  EXPECT_TRUE(has(rest, "AFilterChoosesAmongThem")) << rest.text;
  EXPECT_FALSE(has(rest, "TimeLimit.")) << rest.text;
}

TEST(TestSources, ANameWithoutTestsFails) {
  for (const char* name : {"no_such_test.cpp", "sources_test.cpp", "test_sources.cpp"}) {
    const ProgramResult result = result_with(
        std::string("CISOLVE_TEST_SOURCES=test_sources_test.cpp:") + name, "--gtest_list_tests");
    EXPECT_FALSE(result.succeeded) << name;
    EXPECT_TRUE(has(result, std::string("no test of this program is in ") + name + ","))
        << result.text;
    EXPECT_FALSE(has(result, "TestSources.")) << result.text;
  }
}

TEST(TestSources, ASourceThatNoTestOfCtestNamesFails) {
  const ProgramResult result = result_with(
      "CISOLVE_TEST_SOURCES=time_limit_test.cpp CISOLVE_TEST_ALL_SOURCES=time_limit_test.cpp",
      "--gtest_filter=-*");
  EXPECT_FALSE(result.succeeded);
  EXPECT_TRUE(has(result, "test_sources_test.cpp has tests, but no cisolve_test()")) << result.text;
}

}  // namespace
}  // namespace cisolve::test
