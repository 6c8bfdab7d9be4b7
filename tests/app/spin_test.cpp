#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"
#include "tests/support/ci_systems.hpp"

// Jobs for states of one spin, compared with the full spectrum.
namespace cisolve::test {
namespace {

using nlohmann::json;

class SpinTest : public JobsTest {
 protected:
  /// All states, sorted by their spins.
  std::map<int, std::vector<double>> spectrum(const std::string& problem, int dimension) const {
    const json record = solved(problem,
                               "analysis: {densities: none, determinants: 0}\n"
                               "solver: {method: dense, states: " +
                                   std::to_string(dimension) + "}\n");
    std::map<int, std::vector<double>> by_spin;
    for (const json& state : record["states"]) {
      const double twice = std::sqrt(1 + 4 * state["s2"].get<double>()) - 1;
      EXPECT_NEAR(twice, std::round(twice), 1e-6);
      by_spin[static_cast<int>(std::round(twice))].push_back(state["energy"]);
    }
    return by_spin;
  }
  static std::string spin_job(const std::string& spin, const std::string& more) {
    return "space: {spin: " + spin + "}\nsolver: {" + more + "}\n";
  }
  /// States of one spin are that part of the full spectrum.
  void expect_part(const std::string& problem, const std::string& spin, const std::string& solver,
                   const std::vector<double>& all) const {
    SCOPED_TRACE("S = " + spin + ", " + solver);
    const json record = solved(problem, spin_job(spin, "states: 4, " + solver));
    const double s = std::stod(spin);
    EXPECT_EQ(record["space"]["spin"], s);
    EXPECT_EQ(record["spin_functions"], all.size());
    EXPECT_NE(record["verification"]["completeness"], "not checked");
    const auto found = energies(record);
    ASSERT_EQ(found.size(), std::min<std::size_t>(4, all.size()));
    for (std::size_t j = 0; j < found.size(); ++j) {
      EXPECT_NEAR(found[j], all[j], 1e-10);
      EXPECT_NEAR(record["states"][j]["s2"], s * (s + 1), 1e-9);
      EXPECT_NEAR(record["states"][j]["density_energy"], found[j], 1e-9);
    }
  }

  const std::string water_ = "fcidump: " + std::string(CISOLVE_DATA) + "/h2o_sto3g.fcidump";
};

TEST_F(SpinTest, StatesOfASpinAreTheirPartOfTheSpectrum) {
  const auto by_spin = spectrum(water_, 441);
  EXPECT_EQ(by_spin.size(), 3U);  // four holes leave at most four open shells
  for (const auto& [twice, all] : by_spin)
    expect_part(water_, std::to_string(twice / 2),
                twice == 4 ? "method: lanczos" : "method: davidson", all);
  expect_part(water_, "1", "method: dense", by_spin.at(2));
}

TEST_F(SpinTest, HalfSpinsAndOtherProjectionsAreSpinsToo) {
  const std::string chain = "lattice: {columns: 5, u: 3}";
  const auto by_spin = spectrum(chain + ", ms2: 1", 100);
  expect_part(chain, "0.5", "method: davidson", by_spin.at(1));
  expect_part(chain, "1.5", "method: davidson", by_spin.at(3));
  expect_part(chain + ", ms2: -3", "1.5", "method: davidson", by_spin.at(3));
}

/// Cases of the reference data: the lowest singlet of oxygen is its second state, and nitrogen has
/// two degenerate triplets.
TEST_F(SpinTest, ReferenceStatesAreFoundByTheirSpins) {
  const auto data = std::filesystem::absolute(reference_data());
  if (!exists(data / "o2.fcidump")) GTEST_SKIP() << "no reference data: o2.fcidump";
  const std::string oxygen = "fcidump: " + (data / "o2.fcidump").string();
  EXPECT_NEAR(energies(solved(oxygen, spin_job("0", "states: 2")))[0], -149.677601563788, 1e-9);
  EXPECT_NEAR(energies(solved(oxygen, spin_job("1", "states: 1")))[0], -149.704931693051, 1e-9);
  const std::string nitrogen = "fcidump: " + (data / "n2_sto3g.fcidump").string();
  const json triplets = solved(nitrogen, spin_job("1", "states: 2"));
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(energies(triplets)[j], -107.356943001691, 1e-9);
  EXPECT_NE(triplets["states"][0]["irrep"], triplets["states"][1]["irrep"]);
}

TEST_F(SpinTest, ImpossibleSpinsAreRefusedWithTheReason) {
  const auto expect_refused = [&](const std::string& problem, const std::string& rest,
                                  const std::string& message) {
    const Finished finished = run_job(problem, rest);
    EXPECT_EQ(finished.code, 78) << finished.err;
    EXPECT_NE(finished.err.find(message), std::string::npos) << finished.err;
  };
  expect_refused(water_, "space: {spin: 0.5}\n", "expected 0 or more in steps of 1");
  expect_refused(water_, "space: {spin: 0.3}\n", "a whole or a half number");
  expect_refused(water_, "space: {kind: cisd, reference: 2222ud0, spin: 0}\n",
                 "not closed under S^2");
  expect_refused(water_, "space: {spin: 1}\nstorage: {threshold: 1e-6}\n",
                 "expected only one of them");
  expect_refused("fcidump: " + std::string(CISOLVE_DATA) + "/oh_uhf.fcidump",
                 "space: {spin: 0.5}\n",
                 "the integrals depend on spin: alpha and beta orbitals differ");
  expect_refused("generate: {rows: 50, symmetric: true}", "space: {spin: 0}\n",
                 "this problem has no determinants");
}

/// Single and double excitations of a radical lack spin couplings. Said how many, and completed
/// with them, they have the doublets of all configurations at these levels: twelve functions for
/// the five electrons of the chain.
TEST_F(SpinTest, AnOpenShellHasStatesOfOneSpinAfterSpinCompletion) {
  const std::string chain = "lattice: {columns: 6, u: 3}, electrons: 5, ms2: 1";
  const std::string space = "kind: cisd, reference: 22u000, spin: 0.5";
  const Finished refused = run_job(chain, "space: {" + space + "}\n");
  EXPECT_EQ(refused.code, 78);
  EXPECT_NE(refused.err.find("not closed under S^2"), std::string::npos) << refused.err;
  EXPECT_NE(
      refused.err.find("'space.complete: spin' adds the 21 determinants missing from these 105"),
      std::string::npos)
      << refused.err;
  const Finished impossible = run_job(chain, "space: {kind: cisd, reference: 22u000, spin: 5.5}\n");
  EXPECT_EQ(impossible.code, 78);
  EXPECT_NE(impossible.err.find("up to 2.5"), std::string::npos) << impossible.err;
  EXPECT_EQ(impossible.err.find("adds"), std::string::npos) << impossible.err;
  const json record =
      solved(chain, "space: {" + space + ", complete: spin}\nsolver: {states: 3}\n");
  EXPECT_EQ(record["space"]["added"], 21);
  EXPECT_EQ(record["space"]["dimension"], 126);
  for (const json& state : record["states"]) EXPECT_NEAR(state["s2"], 0.75, 1e-9);
  const json all = solved(chain,
                          "space: {kind: cisd, reference: 22u000, complete: spin}\n"
                          "solver: {method: dense, states: 30}\n");
  std::vector<double> doublets;
  for (const json& state : all["states"])
    if (std::abs(state["s2"].get<double>() - 0.75) < 1e-6) doublets.push_back(state["energy"]);
  ASSERT_GE(doublets.size(), 3U);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(energies(record)[j], doublets[j], 1e-9);
}

TEST_F(SpinTest, AnInterruptedJobContinuesWithItsSpin) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 8}}\nspace: {spin: 1}\nbackend: reference\n"
             "solver: {states: 2, method: davidson}\noutput: {checkpoint: 0 s}\n");
  for (double after = 0.1; !exists(file("out/checkpoint-b.h5"));) {
    const Finished part =
        run({"a.yaml", "--force"}, "", {SIGTERM, std::chrono::duration<double>(after)});
    after = part.code == 0 ? after / 3 : after * 1.5;
  }
  const Finished other = run({"resume", "out", "--set", "space.spin=0"});
  EXPECT_EQ(other.code, 65) << other.err;
  const Finished rest = run({"resume", "out"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  const auto found = energies(json::parse(read_file(file("out/run.json"))));
  // The second and the third state of the chain are triplets.
  EXPECT_NEAR(found[0], -3.916494198372, 1e-10);
}

// Products take working memory when Lanczos has taken what it needs, and leave what follows it.
TEST_F(SpinTest, LittleMemorySufficesAfterLanczos) {
  const std::string nitrogen = "fcidump: " + configuration("n2_stretched.fcidump");
  const std::string rest =
      "space: {spin: 1, frozen: 2, kind: mrci, complete: spin, references: [\"2222222000\", "
      "\"2222u22d00\", \"22222ud200\"], partition: reference}\n"
      "storage: {elements: precomputed}\nbackend: openmp\nthreads: 1\nsolver: {states: 4}\n";
  const json whole = solved(nitrogen, rest);
  for (const int kibibytes : {700, 800, 900, 1000, 1100, 1300, 1500, 1800}) {
    SCOPED_TRACE(kibibytes);
    const json record = solved(nitrogen, rest + "memory: " + std::to_string(kibibytes) + " KiB\n");
    EXPECT_TRUE(record["fallbacks"].empty()) << record["fallbacks"];
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(record["states"][j]["energy"].get<double>(),
                  whole["states"][j]["energy"].get<double>(), 1e-9);
  }
}

}  // namespace
}  // namespace cisolve::test
