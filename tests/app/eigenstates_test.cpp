#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Results and refusals of `ci-solve CONFIG`.
namespace cisolve::test {
namespace {

using nlohmann::json;

class EigenstatesTest : public ProgramTest {
 protected:
  Finished solve(const std::string& text, std::vector<std::string> more = {}) {
    write_file(file("a.yaml"), text);
    more.insert(more.begin(), {"a.yaml", "--force"});
    const Finished finished = run(std::move(more));
    const std::string record = read_file(file("out/run.json"));
    record_ = record.empty() ? json() : json::parse(record);
    return finished;
  }
  double energy(int state) const { return record_["states"][state]["energy"].get<double>(); }
  static std::string water(const std::string& space) {
    return "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") +
           "}\nspace: {" + space + "}\n";
  }

  json record_;
};

// H_ij of a chain of n sites; its eigenvalues are 2 cos(pi k / (n + 1)).
std::string chain(int n, const char* kind = "symmetric") {
  std::string text = std::string("%%MatrixMarket matrix coordinate real ") + kind + "\n" +
                     std::to_string(n) + " " + std::to_string(n) + " " +
                     std::to_string(n == 0 ? 0 : n - 1) + "\n";
  for (int i = 2; i <= n; ++i) text += std::to_string(i) + " " + std::to_string(i - 1) + " 1.0\n";
  return text;
}

TEST_F(EigenstatesTest, ElementsTooLargeForArithmeticAre65WithTheirFile) {
  write_file(file("big.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n"
             "1 1 1e308\n2 2 1e308\n2 1 1e308\n");
  for (const std::string method : {"dense", "davidson", "lanczos"}) {
    const Finished finished =
        solve("problem: {matrix: big.mtx}\nsolver: {method: " + method + "}\n");
    EXPECT_EQ(finished.code, 65) << method << finished.err;
    EXPECT_NE(finished.err.find("error: big.mtx: the "), std::string::npos) << finished.err;
  }
}

TEST_F(EigenstatesTest, EveryMethodFindsTheStatesOfAChain) {
  constexpr int n = unless_sanitized(600, 200);
  write_file(file("chain.mtx"), chain(n));
  for (const std::string method : {"auto", "davidson", "lanczos", "dense"}) {
    const Finished finished = solve(
        "problem: {matrix: chain.mtx}\nbackend: reference\n"
        "solver: {states: 2, max_iterations: 5000, tolerance: 1e-7, method: " +
        method + "}\n");
    ASSERT_EQ(finished.code, 0) << method << finished.err;
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(energy(k), -2 * std::cos(M_PI * (k + 1) / (n + 1)), 1e-10) << method;
    EXPECT_EQ(record_["verification"]["completeness"], "certified");
  }
}

TEST_F(EigenstatesTest, AModelSpaceSavesProductsAndGivesTheSameStates) {
  std::vector<double> energies;
  std::vector<int> products;
  for (const char* size : {"0", "60"}) {
    const Finished finished =
        solve(water("kind: fci, irrep: any") +
              "solver: {states: 2, method: davidson, model_size: " + size + "}\n");
    ASSERT_EQ(finished.code, 0) << finished.err;
    energies.push_back(energy(0));
    energies.push_back(energy(1));
    products.push_back(record_["solver"]["products"].get<int>() -
                       record_["solver"]["search_products"].get<int>());
  }
  EXPECT_NEAR(energies[0], energies[2], 1e-10);
  EXPECT_NEAR(energies[1], energies[3], 1e-10);
  EXPECT_LT(products[1], products[0]);
}

TEST_F(EigenstatesTest, AMatrixThatIsNotSymmetricIs65WithItsDistance) {
  write_file(file("bad.mtx"), chain(5, "general"));
  const Finished finished = solve("problem: {matrix: bad.mtx}\n");
  EXPECT_EQ(finished.code, 65);
  EXPECT_NE(finished.err.find("max |H - H^T| = 1 "), std::string::npos) << finished.err;
  EXPECT_EQ(run({configuration("paper-matrix.yaml"), "--set", "problem.generate.rows=500", "--set",
                 "problem.generate.reference_per_row=auto", "--set", "solver.states=1"})
                .code,
            65);
}

TEST_F(EigenstatesTest, MoreStatesThanRowsAreAllOfThemWithAWarning) {
  write_file(file("chain.mtx"), chain(3));
  const Finished finished = solve("problem: {matrix: chain.mtx}\nsolver: {states: 20}\n");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.err.find("warning: 20 states were requested"), std::string::npos)
      << finished.err;
  ASSERT_EQ(record_["states"].size(), 3u);
  EXPECT_NEAR(energy(0), -std::sqrt(2.0), 1e-14);
}

TEST_F(EigenstatesTest, OneRowIsExactAndNoneIs65) {
  write_file(file("one.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 -2.5\n");
  EXPECT_EQ(solve("problem: {matrix: one.mtx}\n").code, 0);
  EXPECT_EQ(energy(0), -2.5);
  EXPECT_EQ(record_["space"]["kind"], "matrix");
  EXPECT_EQ(record_["space"]["dimension"], 1);
  write_file(file("none.mtx"), chain(0));
  const Finished finished = solve("problem: {matrix: none.mtx}\n");
  EXPECT_EQ(finished.code, 65);
  EXPECT_NE(finished.err.find("dimension 0"), std::string::npos) << finished.err;
}

TEST_F(EigenstatesTest, TheLimitOfIterationsIs3AndClaimsNothing) {
  const Finished finished = solve(
      "problem: {lattice: {columns: 6}}\nbackend: reference\n"
      "solver: {max_iterations: 3, method: davidson, model_size: 0}\n");
  EXPECT_EQ(finished.code, 3) << finished.err;
  EXPECT_EQ((finished.out + finished.err).find("converged"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find(" in iteration 3; raise solver.max_iterations"), std::string::npos)
      << finished.out;
  EXPECT_EQ(record_["solver"]["converged"], false);
  EXPECT_EQ(record_["states"][0]["converged"], false);
  EXPECT_EQ(record_["verification"]["passed"], true);  // with the actual residual
}

// The second state is degenerate: the search for its partners uses up its budget of products.
TEST_F(EigenstatesTest, AnUndecidedSearchHasANameAndItsReason) {
  const Finished finished = solve(
      "problem: {lattice: {columns: 3, rows: 3, u: 0}, electrons: 6}\nsolver: {states: 2}\n"
      "analysis: {densities: none}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json& verification = record_["verification"];
  EXPECT_EQ(verification["completeness"], "not checked");
  EXPECT_EQ(verification["search"], "undecided");
  const std::string reason = verification["completeness_reason"];
  EXPECT_NE(reason.find("found a state with the energy of the last"), std::string::npos) << reason;
  EXPECT_NE(finished.out.find("converged     undecided"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("whether a state was missed is undecided: " + reason),
            std::string::npos)
      << finished.out;
  EXPECT_EQ(record_["multiplet"]["cut"], true);
  EXPECT_EQ(record_["multiplet"]["all_counted"], false);
  EXPECT_NE(finished.err.find("warning: a state may have been missed: " + reason),
            std::string::npos)
      << finished.err;
}

TEST_F(EigenstatesTest, ErrorBoundsHoldAndEstimatesAreMarked) {
  constexpr int n = unless_sanitized(1600, 200);  // more rows than are counted
  write_file(file("chain.mtx"), chain(n));
  for (const char* tolerance : {"1e-2", "1e-4"}) {
    const Finished finished = solve(
        "problem: {matrix: chain.mtx}\nsolver: {states: 2, method: lanczos, max_iterations: 5000, "
        "search: none, tolerance: " +
        std::string(tolerance) + "}\n");
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("error bound  estimate"), std::string::npos) << finished.out;
    for (int k = 0; k < 2; ++k) {
      const json& state = record_["states"][k];
      double nearest = 4;  // among all eigenvalues
      for (int i = 1; i <= n; ++i)
        nearest = std::min(nearest, std::abs(energy(k) - 2 * std::cos(M_PI * i / (n + 1))));
      EXPECT_LE(nearest, state["error_bound"].get<double>());
      EXPECT_GE(state["error_bound"], state["error_estimate"]);
      EXPECT_GT(state["error_estimate"], 4e-16);
    }
  }
}

TEST_F(EigenstatesTest, QuietShowsNoIterations) {
  const std::string job = "problem: {lattice: {columns: 6}}\nsolver: {method: davidson}\n";
  EXPECT_NE(solve(job).err.find("iteration"), std::string::npos);
  const Finished quiet = solve(job, {"--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_NE(quiet.out.find("-3.092565319505"), std::string::npos) << quiet.out;
}

// Reference energies of another program, from the same integrals.
TEST_F(EigenstatesTest, SpacesOfWaterHaveTheirEnergies) {
  ASSERT_EQ(solve(water("kind: cisd")).code, 0);
  EXPECT_NEAR(energy(0), -75.011873169629, 1e-10);
  const Finished frozen = solve(water("kind: ci, level: 2, frozen: 1"));
  ASSERT_EQ(frozen.code, 0) << frozen.err;
  EXPECT_NEAR(energy(0), -75.011795281676, 1e-10);
  ASSERT_EQ(solve(water("kind: mrci, level: 2, frozen: [1], references: [2222200]")).code, 0);
  EXPECT_NEAR(energy(0), -75.011795281676, 1e-10);
  ASSERT_EQ(solve(water("kind: fci, frozen: 1, active: 4")).code, 0);
  EXPECT_NEAR(energy(0), -74.963023138463, 1e-10);  // all active orbitals filled: Hartree-Fock
  ASSERT_EQ(solve(water("kind: ras, ras1: 5, ras2: 0, holes: 2, particles: 2")).code, 0);
  EXPECT_NEAR(energy(0), -75.011873169629, 1e-10);  // no ras2 between them: textbook CISD
  ASSERT_EQ(solve(water("kind: ras, ras1: 4, ras2: 1, holes: 8, particles: 4")).code, 0);
  EXPECT_NEAR(energy(0), -75.012578241092, 1e-10);  // no limit that binds: full CI
}

TEST_F(EigenstatesTest, OrbitalsHaveTheNumbersOfTheFileInEveryList) {
  ASSERT_EQ(solve(water("kind: ras, frozen: 1, ras1: 2, ras2: 2, holes: 1, particles: 1")).code, 0);
  const double counted = energy(0);
  ASSERT_EQ(
      solve(water("kind: ras, frozen: 1, ras1: [3, 2], ras2: [4, 5], holes: 1, particles: 1")).code,
      0);
  EXPECT_NEAR(energy(0), counted, 1e-10);
  for (const char* list : {"ras1: [1]", "ras1: [8]", "ras2: [1, 4]"}) {
    const Finished refused = solve(water(std::string("kind: ras, frozen: 1, ") + list));
    EXPECT_EQ(refused.code, 78);
    EXPECT_NE(refused.err.find("; expected 2 to 7"), std::string::npos) << refused.err;
  }
}

TEST_F(EigenstatesTest, IrrepsDivideTheStates) {
  std::vector<double> energies;
  long rows = 0;
  for (int irrep = 1; irrep <= 4; ++irrep) {
    ASSERT_EQ(solve(water("irrep: " + std::to_string(irrep)), {"--set", "solver.states=4"}).code,
              0);
    rows += record_["space"]["dimension"].get<long>();
    for (const json& state : record_["states"]) energies.push_back(state["energy"]);
  }
  EXPECT_EQ(rows, 441);
  std::ranges::sort(energies);
  const double all[] = {-75.012578241092, -74.614610640006, -74.554878955511,
                        -74.510996620378, -74.508760295757, -74.471520244721};
  for (int j = 0; j < 6; ++j) EXPECT_NEAR(energies[j], all[j], 1e-10);
}

/// Two electrons in two orbitals of given symmetries.
std::string two_orbitals(const std::string& symmetries) {
  return "&FCI NORB=2,NELEC=2,MS2=0,ORBSYM=" + symmetries +
         "/\n0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.65 2 2 2 2\n-1.25 1 1 0 0\n-0.5 2 2 0 0\n"
         "0.75 0 0 0 0\n";
}

/// Orbitals in Molpro's and in PySCF's numbering. If both fit, one is assumed, and marked.
TEST_F(EigenstatesTest, IrrepsAreNamedAsTheFileNumbersThem) {
  const auto expect_numbering = [&](const std::string& symmetries, const std::string& whose,
                                    bool assumed, const std::string& line) {
    write_file(file("h2.fcidump"), two_orbitals(symmetries));
    const Finished finished = solve("problem: {fcidump: h2.fcidump, orbital_symmetries: " + whose +
                                    "}\nsolver: {states: 2}\n");
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(
        finished.out.find("\nirreps   D2h: 1 Ag, 5 B1u; orbital symmetries follow " + line + "\n"),
        std::string::npos)
        << finished.out;
    const json symmetry = record_["problem"]["symmetry"];
    EXPECT_EQ(symmetry["group"], "D2h");
    EXPECT_EQ(symmetry["assumed"], assumed);
    EXPECT_EQ(symmetry["irreps"][1]["irrep"], 5);
    EXPECT_EQ(symmetry["irreps"][1]["name"], "B1u");
    EXPECT_EQ(record_["states"][0]["irrep_name"], "Ag");
    EXPECT_EQ(record_["states"][1]["irrep"], 5);
    EXPECT_EQ(record_["states"][1]["irrep_name"], "B1u");
    EXPECT_EQ(record_["states"][1]["irrep_assumed"], assumed);
    EXPECT_NE(finished.out.find(assumed ? " 5 B1u?  " : " 5 B1u  "), std::string::npos)
        << finished.out;
  };
  expect_numbering(
      "1,5", "auto", true,
      "Molpro's numbering, from 1, which is assumed (?); set problem.orbital_symmetries to molpro "
      "or pyscf to settle it");
  expect_numbering("1,5", "molpro", false, "Molpro's numbering, from 1");
  expect_numbering("0,5", "auto", false, "PySCF's numbering, from 0");
  expect_numbering("0,5", "pyscf", false, "PySCF's numbering, from 0");
}

/// 2 and 7 are B3u and B3g in Molpro's numbering, B2g and B3u in PySCF's; nothing in the file
/// decides.
TEST_F(EigenstatesTest, AnIrrepCanBeRequestedByItsNameOnceNamesAreKnown) {
  write_file(file("pi.fcidump"), two_orbitals("2,7"));
  const auto job = [](const std::string& whose, const std::string& irrep) {
    return "problem: {fcidump: pi.fcidump, orbital_symmetries: " + whose +
           "}\nspace: {irrep: " + irrep + "}\n";
  };
  const auto expect_refused = [&](const std::string& text, const std::string& reason) {
    const Finished finished = solve(text);
    EXPECT_EQ(finished.code, 78) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  };
  for (const auto& [whose, name, number] :
       {std::tuple{"molpro", "AU", 8}, {"pyscf", "b1u", 5}, {"pyscf", "\"B1u\"", 5}}) {
    const Finished finished = solve(job(whose, name));
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(record_["space"]["irrep"], number);
    EXPECT_EQ(record_["states"][0]["irrep"], number);
  }
  expect_refused(job("molpro", "b2u"),
                 "space.irrep is B2u, but the orbitals of pi.fcidump do not "
                 "generate this irrep; expected one of 1 Ag, 2 B3u, 7 B3g, 8 Au");
  expect_refused(job("auto", "B1u"),
                 "space.irrep is B1u, but pi.fcidump does not state the numbering of its orbital "
                 "symmetries, and Molpro's numbering, from 1, is only assumed; set "
                 "problem.orbital_symmetries to molpro or pyscf, or give a number");
  EXPECT_EQ(solve(job("auto", "8")).code, 0);
  EXPECT_EQ(record_["states"][0]["irrep_name"], "Au");
  EXPECT_EQ(record_["states"][0]["irrep_assumed"], true);
  expect_refused(job("pyscf", "A1"), "but the irreps of D2h are 1 Ag");
  write_file(file("pi.fcidump"), two_orbitals("1,2"));
  expect_refused(job("molpro", "B1"),
                 "does not name its point group; expected a number, or PNTGRP");
  write_file(file("pi.fcidump"), two_orbitals("1,1"));
  expect_refused(job("auto", "B1"), "assigns no irreps to its orbitals; expected a number");
  expect_refused("problem: {lattice: {columns: 4}}\nspace: {irrep: Ag}\n", "assigns no irreps");
  write_file(file("pi.fcidump"), two_orbitals("1,5"));
  expect_refused(job("auto", "B4"),
                 "space.irrep is 'B4'; expected a whole number from 1 to 8, a "
                 "name such as B1u, or any");
}

/// Without ORBSYM irreps are found from the integrals, in either format.
TEST_F(EigenstatesTest, FoundIrrepsAreReportedAndCanBeRequested) {
  const std::string trexio = configuration("../tests/data/h2o_sto3g.trexio.h5");
  const Finished all = solve("problem: {trexio: " + trexio + "}\nsolver: {states: 6}\n");
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_NE(
      all.out.find("\nirreps   1 of 4, 2 of 2, 3 of 1, 4 of 0 orbitals, derived from vanishing "
                   "integrals because the problem names none\n"),
      std::string::npos)
      << all.out;
  const json symmetry = record_["problem"]["symmetry"];
  EXPECT_EQ(symmetry["found"], true);
  EXPECT_EQ(symmetry["left_out"], 0);
  EXPECT_LT(symmetry["neglected"], 1e-10);
  EXPECT_EQ(symmetry["group"], json());
  EXPECT_EQ(symmetry["irreps"].size(), 4U);
  EXPECT_EQ(symmetry["orbitals"], json({1, 1, 2, 1, 3, 1, 2}));
  const json states = record_["states"];
  for (const json& state : states) {
    const double expected = state["energy"];
    const int irrep = state["irrep"];
    const std::string text = "problem: {trexio: " + trexio + "}\nspace: {irrep: ";
    ASSERT_EQ(solve(text + std::to_string(irrep) + "}\nsolver: {states: 3}\n").code, 0);
    EXPECT_LE(record_["space"]["dimension"], 133);
    double nearest = 1;
    for (const json& one : record_["states"])
      nearest = std::min(nearest, std::abs(one["energy"].get<double>() - expected));
    EXPECT_LT(nearest, 1e-9);
  }
}

TEST_F(EigenstatesTest, SymmetriesBeyondEightIrrepsAreLeftOutAndReported) {
  std::ostringstream pairs;
  pairs << "&FCI NORB=6,NELEC=4,MS2=0 /\n0.5 0 0 0 0\n";
  for (int p = 1; p <= 6; ++p) {
    pairs << p << ".0 " << p << ' ' << p << " 0 0\n";
    for (int q = 1; q <= p; ++q) pairs << "-0.1 " << p << ' ' << q << ' ' << p << ' ' << q << '\n';
  }
  write_file(file("pairs.fcidump"), pairs.str());
  const Finished finished = solve("problem: {fcidump: pairs.fcidump}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("; 2 more symmetries are not used: at most 8 irreps are supported\n"),
            std::string::npos)
      << finished.out;
  EXPECT_EQ(record_["problem"]["symmetry"]["left_out"], 2);
}

TEST_F(EigenstatesTest, AnIrrepThatNoDeterminantHasIs78WithTheReason) {
  const auto expect_refused = [&](const std::string& job, const std::string& reason) {
    const Finished finished = solve(job);
    EXPECT_EQ(finished.code, 78) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  };
  expect_refused("problem: {lattice: {columns: 4}}\nspace: {irrep: 2}\n",
                 "space.irrep is 2, but the orbitals of hubbard lattice of 4 x 1 sites have no "
                 "symmetry; expected 'irrep: any'");
  expect_refused(water("irrep: 7"), "do not generate this irrep; expected one of 1, 2, 3, 4");
  write_file(file("broken.fcidump"),
             "&FCI NORB=2,NELEC=2,ORBSYM=1,2/\n-1 1 1 0 0\n-1 2 2 0 0\n0.1 2 1 0 0\n");
  for (const char* irrep : {"1", "2"})
    expect_refused(
        "problem: {fcidump: broken.fcidump}\nspace: {irrep: " + std::string(irrep) + "}\n",
        "have no symmetry (symmetry is off: the integrals break");
}

TEST_F(EigenstatesTest, ImpossibleSpacesAreRefused) {
  EXPECT_EQ(solve(water("electrons: [9, 1]")).code, 78);
  EXPECT_EQ(solve(water("electrons: [5]")).code, 78);
  EXPECT_EQ(solve(water("kind: cisd, frozen: 1, reference: u222220")).code, 78);
  EXPECT_EQ(solve(water("kind: mrci")).code, 78);
  EXPECT_EQ(solve("problem: {lattice: {}, electrons: 3, ms2: 0}\n").code, 78);
  EXPECT_EQ(solve("problem: {fcidump: none.fcidump}\n").code, 66);
}

}  // namespace
}  // namespace cisolve::test
