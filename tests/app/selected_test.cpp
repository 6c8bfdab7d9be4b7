#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "program.hpp"

// Jobs over selected spaces, compared with full CI and with jobs over the final lists of
// determinants.
namespace cisolve::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kSmallMolecule =
    "fcidump: " + std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
const std::string kSelectedWater =
    "fcidump: " + std::string(CISOLVE_SOURCES) + "/configs/h2o.fcidump";
constexpr double kFullWater = -76.120874;  // energy of configs/h2o.fcidump, to its last digit

class SelectedTest : public ProgramTest {
 protected:
  Finished run_job(const std::string& problem, const std::string& rest) const {
    write_file(file("a.yaml"), "problem: {" + problem + "}\n" + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& problem, const std::string& rest) const {
    const Finished finished = run_job(problem, rest);
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    return json::parse(read_file(file("out/run.json")));
  }
  static double energy(const json& record) { return record["states"][0]["energy"]; }
  static double total(const json& record) { return record["states"][0]["total"]; }
};

TEST_F(SelectedTest, ThresholdsLeadToTheEnergyOfTheWholeSpace) {
  const json whole = solved(kSmallMolecule, "space: {kind: fci}\n");
  const json all = solved(kSmallMolecule,
                          "space: {kind: selected}\n"
                          "selection: {epsilon: [1e-2, 1e-12]}\n");
  EXPECT_NEAR(energy(all), energy(whole), 1e-8);
  EXPECT_NEAR(total(all), energy(whole), 1e-8);
  // 441 determinants; those of one irrep couple to the first one.
  const json irrep = solved(kSmallMolecule, "space: {kind: fci, irrep: 1}\n");
  EXPECT_EQ(all["space"]["dimension"], irrep["space"]["dimension"]);
  EXPECT_EQ(all["space"]["kind"], "selected");
  EXPECT_EQ(all["selection"]["rounds"].size(), 2u);
  EXPECT_EQ(all["selection"]["external"], 0);
  EXPECT_EQ(all["states"][0]["perturbation"], 0.0);
}

TEST_F(SelectedTest, PerturbationAndExtrapolationApproachFullCi) {
  const json found = solved(kSelectedWater,
                            "space: {kind: selected, complete: spin}\n"
                            "selection: {epsilon: 2e-3, perturbation: {epsilon: 1e-7}}\n");
  const json& state = found["states"][0];
  EXPECT_LT(found["space"]["dimension"].get<int>(), 20'000);  // the full space has 1,656,369
  EXPECT_GT(energy(found), kFullWater);
  EXPECT_LT(energy(found) - kFullWater, 5e-3);
  EXPECT_NEAR(total(found), kFullWater, 1e-3);
  EXPECT_LT(std::abs(total(found) - kFullWater), 0.3 * (energy(found) - kFullWater));
  EXPECT_NEAR(state["extrapolated"].get<double>(), kFullWater,
              2 * state["extrapolated_error"].get<double>() + 1e-6);
  EXPECT_DOUBLE_EQ(total(found), energy(found) + state["perturbation"].get<double>());
  EXPECT_GT(state["variance"].get<double>(), 0);
  EXPECT_NEAR(state["s2"].get<double>(), 0, 1e-10);
  EXPECT_NEAR(state["s2_correction"].get<double>(), 0, 1e-10);
  const json& rounds = found["selection"]["rounds"];
  ASSERT_EQ(rounds.size(), 4u);
  for (std::size_t k = 1; k < rounds.size(); ++k) {
    EXPECT_LT(rounds[k]["epsilon"], rounds[k - 1]["epsilon"]);
    EXPECT_GT(rounds[k]["determinants"], rounds[k - 1]["determinants"]);
    EXPECT_LT(rounds[k]["energies"][0], rounds[k - 1]["energies"][0]);
  }
  EXPECT_EQ(rounds[3]["energies"][0], state["energy"]);
  const json& sample = found["selection"]["sample"];
  EXPECT_EQ(sample["determinants"], 64);
  EXPECT_EQ(sample["passed"], true);
  EXPECT_LT(sample["largest_difference"].get<double>(), 1e-12);
}

TEST_F(SelectedTest, CanBeReadBackAsLists) {
  const json found = solved(kSelectedWater,
                            "space: {kind: selected, complete: spin, frozen: 1}\n"
                            "selection: {epsilon: 5e-3, perturbation: {kind: none}}\n"
                            "solver: {states: 2}\noutput: {vectors: true}\n");
  EXPECT_TRUE(found["selection"]["external"].is_null());
  EXPECT_FALSE(found["states"][0].contains("total") && !found["states"][0]["total"].is_null());
  EXPECT_EQ(run({"a.yaml", "--force", "--set", "selection.extrapolate=false"}).code, 0);
  std::filesystem::copy_file(file("out/results.h5"), file("list.h5"));
  const json list = solved(kSelectedWater,
                           "space: {kind: list, determinants: list.h5, frozen: 1}\n"
                           "solver: {states: 2}\n");
  const json once = json::parse(read_file(file("out/run.json")));
  EXPECT_EQ(once["space"]["kind"], "list");
  for (int k = 0; k < 2; ++k) EXPECT_LT(list["states"][k]["energy"].get<double>(), -75.0);
}

TEST_F(SelectedTest, HaveTheRequestedSizeAndTheBestDeterminants) {
  const json found = solved(kSelectedWater,
                            "space: {kind: selected}\n"
                            "selection: {size: 1500}\n");
  EXPECT_EQ(found["space"]["dimension"], 1500);
  EXPECT_TRUE(found["selection"]["rounds"].back()["epsilon"].is_null());
  const json singles = solved(kSelectedWater, "space: {kind: cisd}\n");  // 1,640 determinants or so
  EXPECT_LT(energy(found), energy(singles));
  EXPECT_NEAR(total(found), kFullWater, 2e-3);
}

TEST_F(SelectedTest, GrowTheSameOnAnyNumberOfThreads) {
  const std::string job =
      "space: {kind: selected}\nselection: {epsilon: 3e-3, extrapolate: false}\n";
  const json one = solved(kSelectedWater, job + "threads: 1\n");
  const json two = solved(kSelectedWater, job + "threads: 3\n");
  EXPECT_EQ(one["space"]["dimension"], two["space"]["dimension"]);
  EXPECT_NEAR(total(one), total(two), 1e-11);
}

TEST_F(SelectedTest, GrowUntilMemoryIsUsedAndReportIt) {
  const json found = solved(kSelectedWater,
                            "space: {kind: selected}\n"
                            "selection: {epsilon: [1e-2, 1e-3, 1e-4, 1e-5]}\n"
                            "memory: 8 MiB\nanalysis: {densities: none}\n");
  EXPECT_LT(found["selection"]["rounds"].size(), 4u);
  EXPECT_EQ(found["selection"]["end"], "memory does not suffice for a larger space");
  ASSERT_FALSE(found["fallbacks"].empty());
  EXPECT_THAT(found["fallbacks"].dump(), HasSubstr("a larger selected space"));
  EXPECT_EQ(found["verification"]["passed"], true);
}

TEST_F(SelectedTest, ImpossibleSelectionsAre78) {
  const auto expect_refusal = [&](const std::string& problem, const std::string& rest,
                                  const std::string& reason) {
    const Finished finished = run_job(problem, "space: {kind: selected}\n" + rest);
    EXPECT_EQ(finished.code, 78) << rest << finished.out;
    EXPECT_THAT(finished.err, HasSubstr(reason));
  };
  expect_refusal(kSmallMolecule, "solver: {near: -74}\n", "neither solver.near nor solver.follow");
  expect_refusal(kSmallMolecule, "solver: {states: 0}\n", "solver.states of at least 1");
  expect_refusal(kSmallMolecule, "storage: {threshold: 1e-3}\n", "no storage.threshold");
  expect_refusal(kSmallMolecule, "selection: {epsilon: 1e-3, size: 10}\n", "both given");
  expect_refusal(kSmallMolecule, "selection: {epsilon: [1e-4, 1e-3]}\n", "do not decrease");
  expect_refusal(kSmallMolecule, "selection: {epsilon: 0}\n", "selection.epsilon is '0'");
  expect_refusal(kSmallMolecule, "selection: {epsilon: [1e-3, soon]}\n", "one entry is 'soon'");
  write_file(file("b.yaml"), "problem: {" + kSmallMolecule + "}\nspace: {kind: selected}\n");
  EXPECT_EQ(run({"check", "b.yaml"}).code, 78);
}

}  // namespace
}  // namespace cisolve::test
