#include <gmock/gmock.h>

#include "program.hpp"

// An error in a key that is found only with the problem still gives the place of the key.
namespace cisolve::test {
namespace {

using ::testing::HasSubstr;

class ErrorPlaceTest : public ProgramTest {
 protected:
  static constexpr const char* kRing =
      "problem:\n"
      "  lattice: {columns: 6}\n"
      "space:\n"
      "  electrons: [7, 3]\n";

  void expect_error(const std::vector<std::string>& arguments, const std::string& text) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, 78) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("error: " + text));
  }
};

TEST_F(ErrorPlaceTest, IsTheLineOfTheKey) {
  write_file(file("job.yaml"), kRing);
  const std::string wrong = "space.electrons: 7 electrons of one spin";
  expect_error({"job.yaml"}, "job.yaml:4: " + wrong);
  expect_error({"check", "job.yaml"}, "job.yaml:4: " + wrong);
}

TEST_F(ErrorPlaceTest, IsTheCommandLineIfTheKeyWasSetThere) {
  write_file(file("job.yaml"), kRing);
  expect_error({"job.yaml", "--set", "space.electrons=[8, 3]"},
               "--set: space.electrons: 8 electrons of one spin");
}

TEST_F(ErrorPlaceTest, IsThatOfTheKeyThatIsSet) {
  write_file(file("job.yaml"), "problem: {lattice: {columns: 6}}\nspace: {kind: product}\n");
  expect_error({"job.yaml"}, "job.yaml:2: space.alpha is not given and space.kind is");
}

TEST_F(ErrorPlaceTest, IsThePlaceOfASweptValue) {
  write_file(file("job.yaml"),
             "problem: {lattice: {columns: 6}}\n"
             "solver: {states: 1}\n"
             "sweep:\n"
             "  space.electrons: [[3, 3], [7, 3]]\n");
  const Finished swept = run({"sweep", "job.yaml"});
  EXPECT_EQ(swept.code, 78) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("FAILED at 2: job.yaml:4: space.electrons: 7 electrons"));
}

}  // namespace
}  // namespace cisolve::test
