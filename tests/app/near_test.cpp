#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "program.hpp"

// Jobs for the states nearest to an energy: dense solutions of the same spaces say which these are.
namespace cisolve::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kSmallWater =
    "fcidump: " + std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";

class NearTest : public ProgramTest {
 protected:
  Finished run_job(const std::string& rest, const std::string& problem = kSmallWater) const {
    write_file(file("a.yaml"), "problem: {" + problem + "}\n" + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& rest, const std::string& problem = kSmallWater) const {
    const Finished finished = run_job(rest, problem);
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    return json::parse(read_file(file("out/run.json")));
  }
  static std::vector<double> energies(const json& record) {
    std::vector<double> all;
    for (const json& state : record["states"]) all.push_back(state["energy"]);
    return all;
  }
  /// The states found, nearest first; in ascending order.
  static std::vector<double> nearest(std::vector<double> all, double energy, std::size_t count) {
    std::ranges::sort(all, {}, [=](double e) { return std::abs(e - energy); });
    all.resize(count);
    std::ranges::sort(all);
    return all;
  }
  void expect_refusal(const std::string& rest, const std::string& reason,
                      const std::string& problem = kSmallWater) const {
    const Finished finished = run_job(rest, problem);
    EXPECT_EQ(finished.code, 78) << rest << finished.out;
    EXPECT_THAT(finished.err, HasSubstr(reason));
  }
};

TEST_F(NearTest, AnEnergyTooLargeToResolveStatesIsRefused) {
  for (const char* near : {"-1e10", "1e20", "-1e100"})
    expect_refusal(std::string("solver: {near: ") + near + "}\n",
                   "apart, more than solver.tolerance");
  expect_refusal("solver: {near: -1e4, tolerance: 1e-13}\n", "apart, more than solver.tolerance");
}

TEST_F(NearTest, SlowSearchesMayBeReplacedByADenseSolution) {
  const std::string dense = "or set solver.method to dense, which finds all states";
  for (const char* which : {"near: -74", "follow_state: all"}) {
    const Finished ended =
        run_job(std::string("solver: {method: davidson, max_iterations: 2, ") + which + "}\n");
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("raise solver.max_iterations"));
    const bool is_inside = std::string_view(which).starts_with("near");
    EXPECT_EQ(ended.out.find(dense) != std::string::npos, is_inside) << ended.out;
  }
}

TEST_F(NearTest, StatesOfEachMethodAreTheNearest) {
  for (const std::string space : {"irrep: 1", "irrep: 1, spin: 1", "kind: cisd"}) {
    const std::vector<double> all =
        energies(solved("space: {" + space + "}\nsolver: {method: dense, states: 60}\n"));
    const double energy = 0.6 * all[20] + 0.4 * all[21];
    for (const char* method : {"davidson", "auto"}) {
      SCOPED_TRACE(space + ", " + method);
      const json record =
          solved("space: {" + space + "}\nsolver: {states: 2, near: " + std::to_string(energy) +
                 ", method: " + method + "}\n");
      const std::vector<double> expected = nearest(all, energy, 2);
      const std::vector<double> found = energies(record);
      for (int j = 0; j < 2; ++j) EXPECT_NEAR(found[j], expected[j], 1e-8);
      const json& verification = record["verification"];
      EXPECT_NEAR(verification["near"].get<double>(), energy, 1e-6);
      EXPECT_EQ(verification["completeness"], "certified");
      EXPECT_EQ(verification["completeness_reason"], "all nearer eigenvalues are counted");
      EXPECT_EQ(verification["chosen"], nullptr);
      EXPECT_GT(record["multiplet"]["width"].get<double>(), 0);
    }
  }
}

TEST_F(NearTest, TheReportSaysThatTheyAreNotTheLowest) {
  const Finished finished = run_job("solver: {near: -74.2, states: 2}\n");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out,
              HasSubstr("these are not the lowest states, but those nearest to -74.2"));
  EXPECT_THAT(finished.out, HasSubstr("farther from solver.near"));
  EXPECT_THAT(finished.out, Not(HasSubstr("lower eigenvalues")));
  EXPECT_EQ(solved("solver: {states: 2}\n")["verification"]["near"], nullptr);
  const Finished unsearched = run_job("solver: {near: -3.3, method: davidson, search: none}\n",
                                      "lattice: {model: hubbard, columns: 8, u: 4}");
  EXPECT_EQ(unsearched.code, 0) << unsearched.err;
  EXPECT_THAT(unsearched.out, HasSubstr("was not checked: solver.search is none"));
}

TEST_F(NearTest, ContradictoryKeysAreRefused) {
  write_file(file("list.txt"), "2222200\n");
  expect_refusal("solver: {near: -74, follow: list.txt}\n", "expected one of them");
  expect_refusal("solver: {near: -74, method: lanczos}\n", "expected auto, davidson or dense");
  expect_refusal("solver: {near: .inf}\n", "solver.near");
  write_file(file("s.yaml"), "problem: {" + kSmallWater +
                                 "}\nsolver: {near: -74, method: lanczos}\n" +
                                 "sweep: {solver.seed: [1, 2]}\n");
  const Finished swept = run({"sweep", "s.yaml", "--set", "output.directory=swept"});
  EXPECT_EQ(swept.code, 78) << swept.err << swept.out;
  EXPECT_THAT(swept.err + swept.out, HasSubstr("expected auto, davidson or dense"));
  expect_refusal("space: {spin: 0}\nsolver: {near: -3}\n", "expected only one of the keys",
                 "lattice: {model: heisenberg, columns: 8}");
}

}  // namespace
}  // namespace cisolve::test
