#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "jobs.hpp"
#include "solver/methods/solve.hpp"
#include "tests/support/electron_oracle.hpp"

// Jobs on lattices: spins in a space of their own, electrons that never share a site, graphs.
namespace cisolve::test {
namespace {

using nlohmann::json;

class LatticeJobs : public JobsTest {
 protected:
  LatticeJobs() : JobsTest("problem:\n  lattice: {") {}
  double energy_of(const std::string& lattice, const std::string& rest = "") const {
    return solved(lattice, rest)["states"][0]["energy"];
  }
};

// Two coupled spins: a singlet at -3/4 J and a triplet at J/4; along z alone, J_z/4 less or more.
TEST_F(LatticeJobs, TwoSpinsHaveTheirClosedForms) {
  const json pair = solved("model: heisenberg, columns: 2, j: 2", "solver: {states: 2}");
  EXPECT_NEAR(pair["states"][0]["energy"], -1.5, 1e-12);
  EXPECT_NEAR(pair["states"][1]["energy"], 0.5, 1e-12);
  EXPECT_NEAR(pair["states"][1]["s2"], 2, 1e-12);
  EXPECT_EQ(pair["space"]["dimension"], 2);
  EXPECT_EQ(pair["verification"]["completeness"], "certified");
  EXPECT_NEAR(energy_of("model: heisenberg, columns: 2, j: 2, jz: 3"), -1 - 0.75, 1e-12);
  EXPECT_NEAR(energy_of("model: heisenberg, columns: 2, j: 2, jz: -1"), -1 + 0.25, 1e-12);
  const std::string up = "  ms2: 2\n";
  EXPECT_NEAR(energy_of("model: heisenberg, columns: 2, h: 0.3", up), 0.25 + 0.3, 1e-12);
  // A field hx lowers one state of the triplet by hx.
  const json across = solved("model: heisenberg, columns: 2, hx: 5", "solver: {states: 4}");
  EXPECT_EQ(across["space"]["dimension"], 4);
  EXPECT_NEAR(across["states"][0]["energy"], 0.25 - 5, 1e-12);
}

// Both parities are compared for the lowest state even without a search.
TEST_F(LatticeJobs, ReportTheStagesAfterASolution) {
  const std::string ring = "model: hubbard, columns: 8, u: 6, periodic_columns: true";
  const auto said = [&](const std::string& search) {
    const Finished finished =
        run_job(ring, "storage: {elements: factorised}\nsolver: {search: " + search + "}\n");
    EXPECT_EQ(finished.code, 0) << finished.err;
    return std::pair(
        finished.err.find("comparing with the states of the other parity") != std::string::npos,
        finished.err.find("searching for missed states") != std::string::npos);
  };
  EXPECT_EQ(said("none"), std::pair(true, false));
  EXPECT_EQ(said("auto"), std::pair(false, true));
}

// Rows of site bases have no partition, unlike those of determinants.
TEST_F(LatticeJobs, ProductsThatComputeRowsOfWordsAreMeasured) {
  const std::string rest = "storage: {elements: on-the-fly}\nsolver: {states: 0}\n";
  for (const char* lattice : {"model: heisenberg, columns: 6, periodic_columns: true",
                              "model: hubbard, columns: 4, periodic_columns: true"}) {
    const json found = solved(lattice, rest + "space: {symmetry: {momentum: [0]}}\n");
    EXPECT_EQ(found["operator"]["path"], "on-the-fly");
    EXPECT_EQ(found["verification"]["passed"], true);
  }
}

TEST_F(LatticeJobs, ARingIsSolvedInASectorAndInTheFullBasis) {
  constexpr double known = -7.142296360617;
  const std::string ring = "model: heisenberg, columns: 16, periodic_columns: true";
  const json whole = solved(ring, "solver: {states: 2}\n");
  EXPECT_EQ(whole["space"]["dimension"], 12870);
  EXPECT_NEAR(whole["states"][0]["energy"], known, 1e-10);
  EXPECT_NEAR(whole["states"][1]["s2"], 2, 1e-8);
  const json part = solved(
      ring, "space: {symmetry: {momentum: [0], inversion: even, columns: even, spin: even}}\n");
  EXPECT_EQ(part["space"]["dimension"], 257);
  EXPECT_EQ(part["space"]["operations"], 64);
  EXPECT_NEAR(part["states"][0]["energy"], known, 1e-10);
  for (const char* elements : {"on-the-fly", "precomputed"})
    EXPECT_NEAR(energy_of(ring, std::string("storage: {elements: ") + elements + "}\n"), known,
                1e-10);
  // The mean correlation of neighbours is the energy per bond.
  EXPECT_NEAR(part["states"][0]["neighbours"], known / 16, 1e-10);
  EXPECT_NEAR(part["states"][0]["structure_factors"][0]["spin"], 0, 1e-10);
  const auto& all = part["states"][0]["structure_factors"];
  EXPECT_GT(all[8]["spin"], 3 * all[4]["spin"].get<double>());
  EXPECT_GT(all[4]["spin"], 0.1);
  // S_a . S_a = 3/4 for each spin.
  const double sum = std::accumulate(all.begin(), all.end(), 0.0, [](double so_far, const json& q) {
    return so_far + q["spin"].get<double>();
  });
  EXPECT_NEAR(sum / 16, 0.75, 1e-10);
}

TEST_F(LatticeJobs, APlaneHasItsKnownEnergyWithEveryMirrorSymmetry) {
  const std::string plane =
      "model: heisenberg, columns: 4, rows: 4, periodic_columns: true, periodic_rows: true";
  for (const char* symmetry :
       {"momentum: [0, 0], columns: even, rows: even, exchange: even, spin: even",
        "rotation: even, inversion: even", "momentum: [0, 0]"})
    EXPECT_NEAR(energy_of(plane, std::string("space: {symmetry: {") + symmetry + "}}\n"),
                -11.228483208428, 1e-9);
}

// A cube of eight spins, and the same one as a graph, in a file and in the configuration.
TEST_F(LatticeJobs, AGraphIsAnyLattice) {
  const double cube = energy_of("model: heisenberg, shape: cubic, columns: 2, rows: 2, layers: 2",
                                "space: {symmetry: {layers: even}}\n");
  std::string lines = "# a cube\n";
  std::string list;
  for (int a = 0; a < 8; ++a)
    for (const int bit : {1, 2, 4})
      if ((a & bit) == 0) {
        const std::string bond = std::to_string(a + 1) + " " + std::to_string((a | bit) + 1);
        lines += bond + " 1.0 J\n";
        list += (list.empty() ? "" : ", ") + ("[" + std::to_string(a + 1)) + ", " +
                std::to_string((a | bit) + 1) + ", 1, J]";
      }
  write_file(file("cube.txt"), lines);
  EXPECT_NEAR(energy_of("model: heisenberg, shape: graph, bonds: cube.txt"), cube, 1e-10);
  EXPECT_NEAR(energy_of("model: heisenberg, shape: graph, bonds: [" + list + "]",
                        "space: {symmetry: {spin: even}}\n"),
              cube, 1e-10);
  EXPECT_NEAR(energy_of("model: heisenberg, columns: 2, j: 0.5, bonds: ['1 2 0.5 J']"), -0.75,
              1e-12);
  write_file(file("cube.txt"), lines + "1 9 1.0 Q\n");
  expect_refused("model: heisenberg, shape: graph, bonds: cube.txt", "",
                 "cube.txt:14: 'Q' is not a kind of term", 65);
  expect_refused("model: heisenberg, shape: graph", "", "no bonds are given");
  expect_refused("model: heisenberg, columns: 2, bonds: ['1 3 1 J']", "", "names site 3 of 2");
  expect_refused("columns: 2, bonds: ['1 2 1 J']", "", "expected model: t-j");
}

// Majumdar and Ghosh: at J2 = J/2 the ground state is a product of singlets, -3/8 J a site.
TEST_F(LatticeJobs, CouplingsAlongAxesAreOneWhereTheyAreEqual) {
  std::string axes, alike;
  for (const char* pair : {"[1, 2, 1, ", "[2, 3, 0.5, ", "[3, 4, 1, "}) {
    alike += std::string(alike.empty() ? "" : ", ") + pair + "J]";
    for (const char* axis : {"Jx]", "Jy]", "Jz]"})
      axes += std::string(axes.empty() ? "" : ", ") + pair + axis;
  }
  const std::string graph = "model: heisenberg, shape: graph, bonds: [";
  for (const char* space : {"", "space: {symmetry: {spin: even}}\n", "space: {spin: 1}\n"})
    EXPECT_NEAR(energy_of(graph + axes + "]", space), energy_of(graph + alike + "]", space), 1e-12)
        << space;
}

TEST_F(LatticeJobs, NextNeighboursAreCoupled) {
  EXPECT_NEAR(energy_of("model: heisenberg, columns: 12, periodic_columns: true, j: 1, j2: 0.5"),
              -4.5, 1e-9);
  // One electron on a ring: -2 t - 2 t2 at momentum 0.
  EXPECT_NEAR(energy_of("columns: 6, periodic_columns: true, t: 1, t2: 0.25", "  electrons: 1\n"),
              -2.5, 1e-10);
}

TEST_F(LatticeJobs, ElectronsOfATJModelNeverShareASite) {
  const json pair = solved("model: t-j, columns: 2, j: 0.4");
  EXPECT_NEAR(pair["states"][0]["energy"], -0.4, 1e-12);
  const json ring =
      solved("model: t-j, columns: 8, periodic_columns: true, j: 0.4, t: 1", "  electrons: 6\n");
  EXPECT_EQ(ring["space"]["dimension"], 560);  // 8! / (3! 3! 2!)
  for (const json& n : ring["states"][0]["occupations"]) EXPECT_NEAR(n, 0.75, 1e-8);
  for (int a = 0; a < 8; ++a)
    EXPECT_NEAR(ring["states"][0]["charge_correlations"][a][a], 0.75, 1e-8);
  expect_refused("model: t-j, columns: 4", "space: {kind: cisd}\n", "remove space.kind");
  expect_refused("model: t-j, columns: 4", "space: {frozen: 1}\n", "expected all of them");
}

// A chain and a ladder of eight with two holes, by operators over occupation numbers.
TEST_F(LatticeJobs, ATJModelOfEightHasTheEnergiesOfItsNaiveTwin) {
  NaiveElectrons::Model chain{.sites = 8, .t = 1.1, .j = 0.4, .allows_double_occupancy = false};
  NaiveElectrons::Model ladder = chain;
  for (int a = 0; a < 8; ++a) {
    chain.bonds.push_back({a, (a + 1) % 8});
    if (a < 4) ladder.bonds.push_back({a, a + 4});
    if (a % 4 < 3) ladder.bonds.push_back({a, a + 1});
  }
  const std::string of_both = ", model: t-j, j: 0.4, t: 1.1";
  for (const auto& [model, lattice] :
       {std::pair(chain, "columns: 8, periodic_columns: true"), {ladder, "columns: 4, rows: 2"}}) {
    const Eigen::VectorXd expected = NaiveElectrons(model, 3, 3).spectrum();
    ASSERT_EQ(expected.size(), 560);
    const json found = solved(lattice + of_both, "  electrons: 6\nsolver: {states: 8}\n")["states"];
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(found[i]["energy"], expected[i], 1e-10);
  }
}

// Electrons as well as spins are coupled along the second bonds: an open chain, of whose first
// bonds there are more.
TEST_F(LatticeJobs, SecondBondsOfATJModelHaveChargesOfTheirOwn) {
  NaiveElectrons::Model model{
      .sites = 6, .t = 1.1, .j = 0.4, .allows_double_occupancy = false, .t2 = 0.3, .j2 = 0.9};
  for (int a = 0; a < 5; ++a) model.bonds.push_back({a, a + 1});
  for (int a = 0; a < 4; ++a) model.second_bonds.push_back({a, a + 2});
  const Eigen::VectorXd expected = NaiveElectrons(model, 2, 2).spectrum();
  ASSERT_EQ(expected.size(), 90);
  const json found = solved("columns: 6, model: t-j, t: 1.1, j: 0.4, t2: 0.3, j2: 0.9",
                            "  electrons: 4\nsolver: {states: 8}\n")["states"];
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(found[i]["energy"], expected[i], 1e-10);
}

TEST_F(LatticeJobs, AHubbardPlaneOfTwelveHasTheEnergiesOfItsNaiveTwin) {
  NaiveElectrons::Model model{.sites = 12, .u = 4};
  for (int a = 0; a < 12; ++a) {
    model.bonds.push_back({a, (a % 4 + 1) % 4 + a / 4 * 4});
    model.bonds.push_back({a, (a + 4) % 12});
  }
  const NaiveElectrons twin(model, 3, 3);
  ASSERT_EQ(twin.rows(), 48400);
  const solver::Result expected =
      solver::solve({twin, base::Backend::reference()}, {.states = 2, .tolerance = 1e-7});
  ASSERT_TRUE(expected.converged());
  const json found =
      solved("columns: 4, rows: 3, periodic_columns: true, periodic_rows: true, u: 4",
             "  electrons: 6\nsolver: {states: 2}\n")["states"];
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(found[i]["energy"], expected.states[i].energy, 1e-10);
}

// For every state the correlations sum to S^2 and to the squared number of electrons.
TEST_F(LatticeJobs, CorrelationsOfElectronsHaveTheirSums) {
  const json record = solved("columns: 3, rows: 2, periodic_columns: true, u: 4",
                             "  electrons: 5\nsolver: {states: 3}\nanalysis: {densities: two}\n");
  for (const json& state : record["states"]) {
    double spin = 0;
    double charge = 0;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b) {
        spin += state["spin_correlations"][a][b].get<double>();
        charge += state["charge_correlations"][a][b].get<double>();
      }
    EXPECT_NEAR(spin, state["s2"], 1e-8);
    EXPECT_NEAR(charge, 25, 1e-8);
  }
  const json none = solved("columns: 3", "analysis: {correlations: none, densities: two}\n");
  EXPECT_FALSE(none["states"][0].contains("spin_correlations"));
}

TEST_F(LatticeJobs, TubesOfCellsAndLayersAreLattices) {
  const double kagome = energy_of(
      "model: heisenberg, shape: kagome, columns: 2, rows: 2, periodic_columns: true, "
      "periodic_rows: true",
      "space: {symmetry: {exchange: odd}}\n");
  EXPECT_NEAR(kagome, -5.444875216998, 1e-9);
  const double tube = energy_of("model: heisenberg, columns: 2, rows: 3, periodic_rows: true",
                                "space: {symmetry: {rows: even}}\n");
  const double layers =
      energy_of("model: heisenberg, shape: cubic, columns: 2, layers: 3, periodic_layers: true",
                "space: {symmetry: {layers: even}}\n");
  EXPECT_NEAR(tube, layers, 1e-10);
}

TEST_F(LatticeJobs, SymmetriesThatAreNotThereAreRefused) {
  const std::string open = "model: heisenberg, columns: 6";
  expect_refused(open, "space: {symmetry: {momentum: [0]}}\n",
                 "for a lattice that is not periodic");
  expect_refused(open + ", bonds: ['1 1 1 h']", "space: {symmetry: {columns: even}}\n",
                 "do not have this symmetry");
  for (const char* site : {"1 1", "3 3", "6 6"})
    expect_refused(open + ", bonds: ['" + site + " -0.5 h']", "space: {symmetry: {spin: even}}\n",
                   "a field distinguishes up from down");
  expect_refused(open, "  ms2: 2\nspace: {symmetry: {spin: even}}\n", "as many spins up as down");
  expect_refused(open, "  ms2: 1\n", "cannot have ms2 = 1");
  expect_refused(open + ", hx: 1", "  ms2: 0\n", "does not conserve the spin projection");
  expect_refused("model: heisenberg, columns: 70", "", "70 spins; expected 1 to 64");
  const std::string ring = "model: heisenberg, columns: 6, periodic_columns: true";
  expect_refused(ring, "  ms2: 6\nspace: {symmetry: {momentum: [1]}}\n", "no state has this");
  expect_refused(ring + ", bonds: ['1 2 1e308 J', '1 2 1e308 J']", "",
                 "on the same sites is infinite");
  expect_refused(ring, "solver: {follow: a.h5}\n", "do not record their symmetry sector");
  expect_refused("model: t-j, columns: 3, bonds: ['1 2 1 Jz']", "",
                 "the term Jz does not act on electrons");
  // With a field along x any number of spins may be up, and a flip is a symmetry of odd ones too.
  EXPECT_LT(energy_of("model: heisenberg, columns: 3, hx: 0.3", "space: {symmetry: {spin: odd}}\n"),
            0);
}

// Its elements are sums of cancelling terms; the residue is not an asymmetry.
TEST_F(LatticeJobs, ASectorWithoutEnergyHasItsStates) {
  const json found = solved("model: heisenberg, columns: 6, periodic_columns: true",
                            "space: {symmetry: {momentum: [2], spin: odd}}\nsolver: {states: 2}\n");
  for (const json& state : found["states"]) EXPECT_NEAR(state["energy"], 0, 1e-14);
  EXPECT_EQ(found["verification"]["completeness"], "certified");
}

// A checkpoint of one sector is refused in another.
TEST_F(LatticeJobs, ACheckpointBelongsToItsSector) {
  write_file(file("a.yaml"),
             "problem: {lattice: {model: heisenberg, columns: 18, periodic_columns: true}}\n"
             "space: {symmetry: {momentum: [9]}}\nbackend: reference\n"
             "solver: {max_iterations: 3}\noutput: {checkpoint: 0 s}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 3);
  const Finished other = run({"resume", "out", "--set", "space.symmetry.momentum=[8]"});
  EXPECT_EQ(other.code, 65);
  EXPECT_NE(other.err.find("space.symmetry.momentum was [9] and is [8]"), std::string::npos)
      << other.err;
  EXPECT_EQ(run({"resume", "out", "--set", "solver.max_iterations=500"}).code, 0);
}

TEST_F(LatticeJobs, ImpossibleLatticesAreRefusedWithTheirKey) {
  const std::string key = "a.yaml: problem.lattice: ";
  const auto refused = [&](const std::string& lattice, const std::string& words) {
    expect_refused(lattice, "", (key + words).c_str());
  };
  refused("columns: 2, periodic_columns: true", "a periodic direction has fewer than 3 cells");
  refused("layers: 2", "a flat lattice has 2 layers");
  refused("model: heisenberg, columns: 100", "100 spins; expected 1 to 64");
  refused("model: heisenberg, columns: 4, j: 1e308, jz: 1e308, h: 1e308",
          "the sum of terms on the same sites is infinite");
}

TEST_F(LatticeJobs, ElementsOfSitesAreAllComputedOrAllStored) {
  const std::string ring = "model: heisenberg, columns: 6";
  for (const char* elements : {"mixed", "factorised"})
    expect_refused(ring, std::string("storage: {elements: ") + elements + "}\n",
                   "site configurations, of which either all or none are stored; expected "
                   "elements: on-the-fly, coded or precomputed");
  expect_refused(ring, "storage: {elements: on-the-fly, threshold: 0.001}\n",
                 "storage.threshold applies only to stored elements");
  for (const char* elements : {"on-the-fly", "coded", "precomputed"})
    solved(ring, std::string("storage: {elements: ") + elements + "}\n");
}

TEST_F(LatticeJobs, CorrelationsAreLeftOutOnRequest) {
  const json record = solved("model: heisenberg, columns: 6", "analysis: {correlations: none}\n");
  EXPECT_FALSE(record["states"][0].contains("spin_correlations"));
  EXPECT_TRUE(record["states"][0]["s2"].is_null());
  EXPECT_EQ(record["s2_note"], "analysis.correlations is none");
  const json all = solved("model: heisenberg, columns: 6");
  EXPECT_FALSE(all["states"][0]["s2"].is_null());
  EXPECT_TRUE(all["s2_note"].is_null());
}

}  // namespace
}  // namespace cisolve::test
