#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"

// Jobs on lattices of spins for states of one total spin.
namespace cisolve::test {
namespace {

using nlohmann::json;

class SpinTargetJobs : public JobsTest {
 protected:
  SpinTargetJobs() : JobsTest("problem:\n  lattice: {model: heisenberg, ") {}
  /// Energies of the full spectrum, by twice their spin.
  std::map<int, std::vector<double>> by_spin(const std::string& lattice,
                                             const std::string& symmetry, int ms2) const {
    const json record =
        solved(lattice, "  ms2: " + std::to_string(ms2) + "\nspace: {symmetry: {" + symmetry +
                            "}}\n" + "solver: {states: 1000, method: dense}\n");
    std::map<int, std::vector<double>> found;
    for (const json& state : record["states"]) {
      const double twice = std::sqrt(1 + 4 * state["s2"].get<double>()) - 1;
      EXPECT_NEAR(twice, std::round(twice), 1e-6);
      found[static_cast<int>(std::round(twice))].push_back(state["energy"]);
    }
    return found;
  }
  void expect_states(const json& record, int twice, const std::vector<double>& all,
                     std::size_t wanted) const {
    EXPECT_EQ(record["space"]["spin"], 0.5 * twice);
    EXPECT_EQ(record["space"]["spin_states"], all.size());
    EXPECT_EQ(record["verification"]["completeness"], "certified");
    const json& states = record["states"];
    ASSERT_EQ(states.size(), std::min(wanted, all.size()));
    for (std::size_t j = 0; j < states.size(); ++j) {
      EXPECT_NEAR(states[j]["energy"], all[j], 1e-10) << j;
      EXPECT_NEAR(states[j]["s2"], 0.25 * twice * (twice + 2), 1e-9);
      EXPECT_NEAR(states[j]["density_energy"], all[j], 1e-9);
    }
  }
};

// States of a ring with Sz = 0: all spins, and with each symmetry those that have it; densely, by
// Lanczos, and with more states requested than exist.
TEST_F(SpinTargetJobs, StatesOfASpinAreTheirPartOfTheSpectrum) {
  const std::string ring = "columns: 10, periodic_columns: true, j2: 0.3";
  for (const std::string symmetry :
       {"", "momentum: [5], inversion: even", "momentum: [0], spin: odd", "momentum: [2]"}) {
    const auto all = by_spin(ring, symmetry, 0);
    ASSERT_GE(all.size(), 2U);
    for (const auto& [twice, energies] : all) {
      const std::string space = "  ms2: 0\nspace: {spin: " + std::to_string(twice / 2) +
                                ", symmetry: {" + symmetry + "}}\n";
      SCOPED_TRACE(space);
      expect_states(solved(ring, space + "solver: {states: 3, method: lanczos}\n"), twice, energies,
                    3);
      expect_states(solved(ring, space + "solver: {states: 60}\n"), twice, energies, 60);
    }
  }
}

// Without ms2 the projection is that of the spin, which has the fewest states; parity under spin
// flip needs Sz = 0.
TEST_F(SpinTargetJobs, TheProjectionDefaultsToTheSpin) {
  const std::string chain = "columns: 9, j: 1";
  const auto all = by_spin(chain, "", 1);
  for (const int twice : {1, 3, 9}) {
    const json record = solved(chain, "space: {spin: " + std::to_string(0.5 * twice) + "}\n");
    EXPECT_EQ(record["space"]["ms2"], twice);
    expect_states(record, twice, all.at(twice), 1);
  }
  const std::string ring = "columns: 8, periodic_columns: true";
  const json flipped = solved(ring, "space: {spin: 1, symmetry: {spin: odd}}\n");
  EXPECT_EQ(flipped["space"]["ms2"], 0);
  EXPECT_NEAR(flipped["states"][0]["energy"], by_spin(ring, "", 2)[2][0], 1e-10);
}

// Larger spins have lower energies: a shift that is too small would leave them lowest.
TEST_F(SpinTargetJobs, AFerromagnetHasStatesOfSmallerSpins) {
  const std::string ring = "columns: 12, periodic_columns: true, j: -1";
  const auto all = by_spin(ring, "", 6);
  for (const int twice : {6, 8, 12})
    for (const char* elements : {"on-the-fly", "precomputed"})
      expect_states(solved(ring, "  ms2: 6\nspace: {spin: " + std::to_string(twice / 2) +
                                     "}\nsolver: {states: 4, method: lanczos}\n" +
                                     "storage: {elements: " + elements + "}\n"),
                    twice, all.at(twice), 4);
}

// Above the size at which eigenvalues are counted the lowest state of each spin agrees with that of
// the full spectrum.
TEST_F(SpinTargetJobs, ALargerRingHasTheLowestStatesOfTheWhole) {
  const std::string ring = "columns: 14, periodic_columns: true";
  std::map<int, double> lowest;
  const json whole = solved(ring, "solver: {states: 12}\n");
  for (const json& state : whole["states"])
    lowest.try_emplace(static_cast<int>(std::lround(state["s2"].get<double>())), state["energy"]);
  ASSERT_EQ(lowest.size(), 3U);
  for (const int spin : {0, 1, 2}) {
    const json record =
        solved(ring, "space: {spin: " + std::to_string(spin) + "}\nsolver: {search: full}\n");
    EXPECT_GT(record["space"]["dimension"], 1500);
    EXPECT_NEAR(record["states"][0]["energy"], lowest.at(spin * (spin + 1)), 1e-10);
    EXPECT_NEAR(record["states"][0]["s2"], spin * (spin + 1), 1e-9);
    EXPECT_EQ(record["verification"]["completeness"], "searched");
  }
}

TEST_F(SpinTargetJobs, ImpossibleSpinsAreRefusedWithTheReason) {
  const std::string ring = "columns: 6, periodic_columns: true";
  expect_refused(ring, "space: {spin: 0.5}\n", "6 spins have a total of 0, 1 and so on up to 3");
  expect_refused(ring, "space: {spin: 4}\n", "6 spins have a total of 0, 1 and so on up to 3");
  expect_refused("columns: 5", "space: {spin: 1}\n", "0.5, 1.5 and so on up to 2.5");
  expect_refused(ring, "space: {spin: 0.3}\n", "a whole or a half number");
  expect_refused(ring, "  ms2: 4\nspace: {spin: 1}\n", "has the projection ms2 = 4;");
  expect_refused(ring, "space: {spin: 0, symmetry: {spin: even}}\n", "and this symmetry");
  expect_refused(ring, "space: {spin: 3, symmetry: {momentum: [1]}}\n", "no state has this");
  expect_refused(ring, "  ms2: 0\nspace: {spin: 3, symmetry: {momentum: [1]}}\n",
                 "and this symmetry");
  expect_refused(ring + ", jz: 0.5", "space: {spin: 1}\n", "does not conserve the total spin");
  expect_refused(ring + ", h: 0.5", "space: {spin: 1}\n", "does not conserve the total spin");
  expect_refused(ring, "space: {spin: 1}\nstorage: {threshold: 0.1}\n",
                 "expected only one of them");
}

TEST_F(SpinTargetJobs, AnInterruptedJobContinuesWithItsSpin) {
  write_file(file("a.yaml"),
             "problem: {lattice: {model: heisenberg, columns: 12, periodic_columns: true}}\n"
             "space: {spin: 1}\nsolver: {max_iterations: 3}\noutput: {checkpoint: 0 s}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 3);
  const Finished other = run({"resume", "out", "--set", "space.spin=0"});
  EXPECT_EQ(other.code, 65);
  EXPECT_NE(other.err.find("space.spin was 1 and is 0"), std::string::npos) << other.err;
  ASSERT_EQ(run({"resume", "out", "--set", "solver.max_iterations=5000"}).code, 0);
  const json resumed = json::parse(read_file(file("out/run.json")));
  EXPECT_NEAR(resumed["states"][0]["s2"], 2, 1e-9);
  EXPECT_NEAR(
      resumed["states"][0]["energy"],
      solved("columns: 12, periodic_columns: true", "space: {spin: 1}\n")["states"][0]["energy"],
      1e-10);
}

TEST_F(SpinTargetJobs, ASweepGoesOverSpins) {
  write_file(file("a.yaml"),
             "problem: {lattice: {model: heisenberg, columns: 4, periodic_columns: true}}\n"
             "solver: {states: 1}\nsweep: {space.spin: [0, 1, 2], repeat: 1}\n");
  const Finished finished = run({"sweep", "a.yaml", "--force"});
  ASSERT_EQ(finished.code, 0) << finished.err << finished.out;
  const json found = json::parse(read_file(file("out/sweep.json")));
  const double energies[] = {-2, -1, 1};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(found["points"][i]["energies"][0], energies[i], 1e-10) << found["points"][i];
}

// With a tolerance of 1e-3 the error bound follows H alone, although the solver iterated with the
// spin-shifted operator, and the spin may be off by as much.
TEST_F(SpinTargetJobs, ALooseToleranceIsNoFailure) {
  for (const std::string spin : {"0", "1", "2"})
    for (const std::string tolerance : {"1e-4", "1e-3", "1e-2"}) {
      SCOPED_TRACE(spin);
      SCOPED_TRACE(tolerance);
      const std::string ring = "columns: 14, periodic_columns: true";
      const std::string solver = "space: {spin: " + spin + "}\nsolver: {states: 3, tolerance: ";
      const json exact = solved(ring, solver + "1e-10}\n");
      const json loose = solved(ring, solver + tolerance + "}\n");
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(loose["states"][j]["energy"].get<double>(),
                    exact["states"][j]["energy"].get<double>(), std::stod(tolerance));
        EXPECT_LE(loose["states"][j]["residual"].get<double>(), std::stod(tolerance));
      }
    }
}

}  // namespace
}  // namespace cisolve::test
