#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

// Settings given to `resume` that differ from the original ones.
namespace cisolve::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ResumeOverridesTest : public ProgramTest {
 protected:
  Finished begin(const std::string& limit) const {
    write_file(
        file("a.yaml"),
        "problem: {lattice: {columns: 8}}\nsolver: {method: davidson, model_size: 40, states: 2" +
            limit + "}\n");
    return run({"a.yaml"});
  }
};

TEST_F(ResumeOverridesTest, AProductJobDoesNotReplaceASolution) {
  ASSERT_EQ(begin(", max_iterations: 2").code, 3);
  const Finished refused = run({"resume", "out", "--set", "solver.states=0"});
  EXPECT_EQ(refused.code, 78) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("--set solver.states=0 cannot resume the job in out"));
  EXPECT_EQ(run({"resume", "out", "--set", "solver={states: 0}"}).code, 78);
  const Finished rest = run({"resume", "out", "--set", "solver.max_iterations=100"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("resumed after iteration 2"));
}

TEST_F(ResumeOverridesTest, AnInterruptedJobContinuesInItsFolder) {
  ASSERT_EQ(begin(", max_iterations: 2").code, 3);
  const auto asks = [&](const std::string& folder) {
    return run({"resume", "out", "--set", "output.directory=" + folder, "--set",
                "solver.max_iterations=100"});
  };
  const Finished refused = asks("other");
  EXPECT_EQ(refused.code, 78) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("output.directory: other is not the folder to resume; "
                                     "expected out, or no output.directory"));
  EXPECT_EQ(run({"resume", "out", "--set", "output={directory: other}"}).code, 78);
  EXPECT_EQ(asks(std::string(9000, 'a')).code, 78);
  std::filesystem::copy(file("out"), file("other"), std::filesystem::copy_options::recursive);
  EXPECT_EQ(asks("\"./out\"").code, 0);
  EXPECT_EQ(run({"resume", "other", "--set", "solver.max_iterations=100"}).code, 0);
  EXPECT_EQ(json::parse(read_file(file("other/run.json")))["states"].size(), 2);
}

TEST_F(ResumeOverridesTest, AFinishedJobIsNotRunAgain) {
  ASSERT_EQ(begin("").code, 0);
  const std::string found = read_file(file("out/run.json"));
  const Finished resumed = run({"resume", "out", "--set", "solver.states=3"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("solver.states has no effect: the job has finished"));
  EXPECT_THAT(run({"resume", "out", "--set", "solver={states: 3}"}).err,
              HasSubstr("solver has no effect: the job has finished"));
  EXPECT_THAT(run({"resume", "out", "--set", "threads=2"}).err, Not(HasSubstr("has no effect")));
  EXPECT_EQ(read_file(file("out/run.json")), found);
}

}  // namespace
}  // namespace cisolve::test
