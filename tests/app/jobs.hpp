#pragma once

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace cisolve::test {

/// Jobs of one problem: a common start of the configuration, continued until a brace closes it, and
/// further sections.
class JobsTest : public ProgramTest {
 protected:
  explicit JobsTest(std::string before = "problem: {") : before_(std::move(before)) {}

  Finished run_job(const std::string& problem, const std::string& rest = "") const {
    write_file(file("a.yaml"), before_ + problem + "}\n" + rest);
    return run({"a.yaml", "--force"});
  }
  nlohmann::json solved(const std::string& problem, const std::string& rest = "") const {
    const Finished finished = run_job(problem, rest);
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    return nlohmann::json::parse(read_file(file("out/run.json")));
  }
  void expect_refused(const std::string& problem, const std::string& rest, const char* words,
                      int code = 78) const {
    const Finished finished = run_job(problem, rest);
    EXPECT_EQ(finished.code, code) << finished.err;
    EXPECT_NE(finished.err.find(words), std::string::npos) << finished.err;
  }
  static std::vector<double> energies(const nlohmann::json& record) {
    std::vector<double> found;
    for (const nlohmann::json& state : record["states"]) found.push_back(state["energy"]);
    return found;
  }

 private:
  std::string before_;
};

}  // namespace cisolve::test
