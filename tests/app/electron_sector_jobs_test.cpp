#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"

// Electron lattices with a symmetry, compared with the same lattices without.
namespace cisolve::test {
namespace {

using nlohmann::json;

class ElectronSectorJobs : public JobsTest {
 protected:
  ElectronSectorJobs() : JobsTest("problem:\n  lattice: {") {}
};

void expect_near(const json& found, const json& expected, const char* what) {
  if (!found.is_array()) {
    EXPECT_NEAR(found.get<double>(), expected.get<double>(), 1e-7) << what;
    return;
  }
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) expect_near(found[i], expected[i], what);
}

// Symmetry-adapted states have neither determinants nor density matrices.
TEST_F(ElectronSectorJobs, TheGroundStateEqualsThatOfAllDeterminants) {
  const std::pair<std::string, std::string> cases[] = {
      {"columns: 4, rows: 2, periodic_columns: true, u: 4, v: 0.5, t2: 0.2",
       "momentum: [2], columns: odd, spin: even"},
      {"model: t-j, columns: 6, periodic_columns: true, j: 0.4", "momentum: [0], columns: odd"},
      {"columns: 6, periodic_columns: true, u: 8", "momentum: [0], columns: odd, spin: odd"}};
  for (const auto& [lattice, symmetry] : cases) {
    SCOPED_TRACE(lattice);
    const std::string four = "  electrons: 4\n";
    const json whole = solved(lattice, four + "analysis: {densities: two}\n");
    const std::string sector = four + "space: {symmetry: {" + symmetry + "}}\n";
    for (const char* elements : {"precomputed", "on-the-fly"}) {
      const json part =
          solved(lattice, sector + "storage: {elements: " + std::string(elements) + "}\n");
      EXPECT_LT(part["space"]["dimension"], whole["space"]["dimension"].get<int>() / 3);
      EXPECT_EQ(part["space"]["kind"], "electrons");
      EXPECT_EQ(part["space"]["electrons"], 4);
      EXPECT_EQ(part["space"]["sector"]["columns"], "odd");
      EXPECT_FALSE(part["space"]["sector"].contains("rotation"));
      EXPECT_EQ(part["space"]["ms2"], 0);
      EXPECT_EQ(part["space"]["words"], whole["space"]["dimension"]);
      EXPECT_EQ(part["verification"]["completeness"], "certified");
      const json& found = part["states"][0];
      const json& expected = whole["states"][0];
      EXPECT_NEAR(found["energy"], expected["energy"], 1e-10);
      EXPECT_NEAR(found["density_energy"], expected["energy"], 1e-9);
      for (const char* key :
           {"s2", "neighbours", "occupations", "spin_correlations", "charge_correlations"})
        expect_near(found[key], expected[key], key);
      expect_near(found["structure_factors"][1]["charge"],
                  expected["structure_factors"][1]["charge"], "structure factor");
    }
  }
}

TEST_F(ElectronSectorJobs, StatesOfASpinAreTheirPartOfTheSpectrumOfTheSector) {
  const std::string ring = "columns: 6, periodic_columns: true, u: 5";
  for (const char* symmetry : {"momentum: [0], columns: even", "momentum: [2]"}) {
    const std::string sector = "space: {symmetry: {" + std::string(symmetry) + "}";
    const json all = solved(ring, sector + "}\nsolver: {states: 1000, method: dense}\n");
    for (const int spin : {0, 1, 2}) {
      std::vector<double> expected;
      for (const json& state : all["states"])
        if (std::abs(state["s2"].get<double>() - spin * (spin + 1)) < 1e-6)
          expected.push_back(state["energy"]);
      const json part = solved(ring, "  ms2: 0\n" + sector + ", spin: " + std::to_string(spin) +
                                         "}\nsolver: {states: 3}\n");
      EXPECT_EQ(part["space"]["spin_states"], expected.size());
      ASSERT_EQ(part["states"].size(), 3U);
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(part["states"][j]["energy"], expected[j], 1e-9);
        EXPECT_NEAR(part["states"][j]["s2"], spin * (spin + 1), 1e-8);
      }
    }
  }
}

TEST_F(ElectronSectorJobs, BasisStatesAreReportedSiteBySite) {
  const json record = solved("columns: 3, periodic_columns: true, u: 10",
                             "  electrons: 4\nspace: {symmetry: {momentum: [0]}}\n");
  EXPECT_EQ(record["space"]["sector"]["momentum"], json::array({0}));
  const std::string word = record["states"][0]["dominant"][0]["determinant"];
  EXPECT_EQ(word.size(), 3U);
  int electrons = 0;
  for (const char site : word) electrons += site == '2' ? 2 : site == '0' ? 0 : 1;
  EXPECT_EQ(electrons, 4) << word;
  EXPECT_EQ(word.find_first_not_of("02ud"), std::string::npos) << word;
}

TEST_F(ElectronSectorJobs, TheSectorOfAllStatesIsReported) {
  const Finished finished = run_job("columns: 6, periodic_columns: true",
                                    "space: {symmetry: {momentum: [2], spin: odd}}\n");
  const char* line =
      "sector   momentum (2), spin odd: 12 symmetry operations on 400 configurations\n";
  EXPECT_NE(finished.out.find(line), std::string::npos) << finished.out;
  const Finished checked = run({"check", "a.yaml"});
  EXPECT_NE(checked.out.find(line), std::string::npos) << checked.out;
}

TEST_F(ElectronSectorJobs, ImpossibleRequestsAreRefused) {
  const std::string ring = "columns: 6, periodic_columns: true";
  const std::string zero = "space: {symmetry: {momentum: [0]}}\n";
  expect_refused(ring, "  electrons: 5\n  ms2: 2\n" + zero, "5 electrons cannot have ms2 = 2");
  expect_refused(ring, "  electrons: 12\n  ms2: 2\n" + zero, "7 of 6 spins up");
  expect_refused(ring, "  electrons: 4\n  ms2: 2\nspace: {symmetry: {spin: even}}\n",
                 "as many spins up as down");
  expect_refused("model: t-j, " + ring, "  electrons: 8\n" + zero,
                 "8 electrons on 6 sites without double occupation");
  expect_refused("columns: 40, periodic_columns: true", "  electrons: 2\n" + zero,
                 "electrons on 40 sites; expected 1 to 32");
  expect_refused(ring, "  electrons: 2\n  ms2: 2\nspace: {spin: 2, symmetry: {momentum: [0]}}\n",
                 "2 electrons on 6 sites have a total of 0, 1");
  expect_refused(ring, "  electrons: 10\nspace: {spin: 5, symmetry: {momentum: [0]}}\n",
                 "and so on up to 1;");
  expect_refused(ring + ", bonds: ['1 2 1 J']", zero, "expected model: t-j");
  expect_refused("model: t-j, " + ring + ", bonds: ['1 1 1 h']", zero,
                 "the term h does not act on electrons");
  expect_refused(ring, "space: {kind: cisd, symmetry: {momentum: [0]}}\n",
                 "space.kind is given, but");
  expect_refused(ring, "space: {electrons: [2, 2], symmetry: {momentum: [0]}}\n",
                 "as problem.electrons");
  expect_refused(ring, "space: {frozen: 1, symmetry: {momentum: [0]}}\n",
                 "space.frozen is given, but");
  expect_refused(ring, zero + "solver: {follow: a.h5}\n", "do not record their symmetry sector");
}

}  // namespace
}  // namespace cisolve::test
