#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "program.hpp"

// Descriptions of states by `ci-solve CONFIG`.
namespace cisolve::test {
namespace {

using nlohmann::json;

class StatesTest : public ProgramTest {
 protected:
  Finished solve(const std::string& text) {
    write_file(file("a.yaml"), text);
    const Finished finished = run({"a.yaml", "--force"});
    const std::string record = read_file(file("out/run.json"));
    record_ = record.empty() ? json() : json::parse(record);
    return finished;
  }
  static std::string water(const std::string& space) {
    return "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") +
           "}\nspace: {" + space + "}\n";
  }
  const json& states() const { return record_["states"]; }
  double s2(std::size_t state) const { return states()[state]["s2"].get<double>(); }

  /// Energies recomputed from density matrices, and occupations that sum to the electrons.
  void expect_consistent_densities(double electrons) const {
    for (const json& state : states()) {
      EXPECT_NEAR(state["density_energy"], state["energy"], 1e-9);
      double sum = 0;
      for (const double occupation : state["natural_occupations"]) {
        EXPECT_GE(occupation, -1e-12);
        EXPECT_LE(occupation, 2 + 1e-12);
        sum += occupation;
      }
      EXPECT_NEAR(sum, electrons, 1e-10);
    }
    EXPECT_EQ(record_["densities"]["computed"], "two");
    EXPECT_LT(record_["densities"]["max_energy_difference"], 1e-9);
  }

  json record_;
};

TEST_F(StatesTest, DegenerateStatesOfSeveralSpinsAreSeparated) {
  // Without repulsion the lowest excitation of the ring takes an electron from one of two orbitals
  // to one of two: four singlets and four triplets of one energy.
  const Finished finished = solve(
      "problem: {lattice: {model: hubbard, columns: 6, periodic_columns: true, u: 0}}\n"
      "solver: {states: 9}\n");
  ASSERT_EQ(finished.code, 0) << finished.err << finished.out;
  EXPECT_NEAR(s2(0), 0, 1e-9);
  EXPECT_NEAR(states()[0]["energy"], -8, 1e-10);
  int triplets = 0;
  for (std::size_t j = 1; j < 9; ++j) {
    EXPECT_NEAR(states()[j]["energy"], -6, 1e-10);
    const bool is_triplet = s2(j) > 1;
    EXPECT_NEAR(s2(j), is_triplet ? 2 : 0, 1e-9);
    triplets += is_triplet ? 1 : 0;
  }
  EXPECT_EQ(triplets, 4);
  EXPECT_EQ(record_["verification"]["completeness"], "certified");
  expect_consistent_densities(6);
}

TEST_F(StatesTest, IrrepsAreReportedIfTheSpaceHasAllOfThem) {
  ASSERT_EQ(solve(water("kind: fci") + "solver: {states: 8}\n").code, 0);
  const json all = states();
  expect_consistent_densities(10);
  // A job for one irrep finds the lowest state that the job for all irreps assigns to it.
  for (const int irrep : {1, 2, 3, 4}) {
    const auto first =
        std::ranges::find_if(all, [&](const json& state) { return state["irrep"] == irrep; });
    ASSERT_EQ(solve(water("kind: fci, irrep: " + std::to_string(irrep))).code, 0);
    EXPECT_EQ(states()[0]["irrep"], irrep);
    if (first == all.end()) continue;
    EXPECT_NEAR(states()[0]["energy"], (*first)["energy"], 1e-9);
    EXPECT_NEAR(s2(0), (*first)["s2"], 1e-6);
  }
}

TEST_F(StatesTest, DeterminantsAndReferencesCarryTheirWeights) {
  const Finished finished = solve(water("kind: cisd, frozen: [1], active: [2, 3, 4, 5, 6, 7]"));
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json& state = states()[0];
  EXPECT_EQ(state["dominant"][0]["determinant"], "2222200");
  EXPECT_GT(state["dominant"][0]["weight"], 0.9);
  EXPECT_EQ(state["reference_weight"], state["dominant"][0]["weight"]);
  EXPECT_EQ(state["dominant"].size(), 5U);
  EXPECT_NE(finished.out.find("2222200"), std::string::npos);
  expect_consistent_densities(8);
  ASSERT_EQ(solve(water("kind: fci")).code, 0);
  EXPECT_TRUE(states()[0]["reference_weight"].is_null());
}

TEST_F(StatesTest, SpinDependentIntegralsHaveDensitiesButNoSpinsAndNoNaturalOrbitals) {
  const Finished finished =
      solve("problem: {fcidump: " + configuration("../tests/data/oh_uhf.fcidump") +
            "}\nsolver: {states: 3}\nanalysis: {densities: two}\noutput: {trexio: true}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  for (const json& state : states()) {
    EXPECT_TRUE(state["s2"].is_null());
    EXPECT_TRUE(state["natural_occupations"].empty());
    EXPECT_NEAR(state["density_energy"], state["energy"], 1e-9);
  }
  const std::string reason = "alpha and beta orbitals differ";
  EXPECT_NE(record_["s2_note"].get<std::string>().find(reason), std::string::npos);
  EXPECT_NE(finished.out.find(reason), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("\n1        -      2"), std::string::npos) << finished.out;
  EXPECT_EQ(read_file(file("out/results.h5")).find("natural_orbitals"), std::string::npos);
  EXPECT_NE(read_file(file("out/states.trexio.h5")).find(reason), std::string::npos);
  ASSERT_EQ(solve(water("kind: fci")).code, 0);
  EXPECT_TRUE(record_["s2_note"].is_null());
}

TEST_F(StatesTest, ASpinDensityThatIsZeroIsSaidWithTheProjectionThatHasIt) {
  const std::string chain = "problem: {lattice: {columns: 4}";
  for (const auto& [spin, twice] : {std::pair("1", "2"), {"2", "4"}}) {
    const Finished finished = solve(chain + "}\nspace: {spin: " + spin + "}\n");
    ASSERT_EQ(finished.code, 0) << finished.err;
    const std::string remedy = std::string("problem.ms2 to 2 S, here ") + twice + ",";
    EXPECT_NE(finished.out.find(remedy), std::string::npos) << finished.out;
    ASSERT_TRUE(record_["densities"]["spin_density_note"].is_string());
    EXPECT_NE(record_["densities"]["spin_density_note"].get<std::string>().find(remedy),
              std::string::npos);
    const Finished largest = solve(chain + ", ms2: " + twice + "}\nspace: {spin: " + spin + "}\n");
    ASSERT_EQ(largest.code, 0) << largest.err;
    EXPECT_EQ(largest.out.find("spin density"), std::string::npos) << largest.out;
    EXPECT_TRUE(record_["densities"]["spin_density_note"].is_null());
  }
  ASSERT_EQ(solve(chain + "}\nspace: {spin: 0}\n").code, 0);  // no unpaired electrons
  EXPECT_TRUE(record_["densities"]["spin_density_note"].is_null());
  ASSERT_EQ(solve(chain + "}\nspace: {spin: 1}\nanalysis: {densities: none}\n").code, 0);
  EXPECT_TRUE(record_["densities"]["spin_density_note"].is_null());
}

TEST_F(StatesTest, TheReportNamesTheStatesThatTrexioReads) {
  const std::string warning = "the TREXIO library 2.6 reads only the first";
  const auto warnings = [&] { return record_["warnings"].dump(); };
  const std::string saved = "output: {trexio: true}\n";
  const Finished two = solve(water("kind: fci") + "solver: {states: 2}\n" + saved);
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_NE(two.err.find(warning), std::string::npos) << two.err;
  EXPECT_NE(warnings().find(warning), std::string::npos) << warnings();
  const std::string file_text = read_file(file("out/states.trexio.h5"));
  EXPECT_NE(file_text.find("determinant_coefficient_state_1"), std::string::npos);
  const Finished one = solve(water("kind: fci") + saved);
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.err.find(warning), std::string::npos) << one.err;
  EXPECT_EQ(warnings().find(warning), std::string::npos) << warnings();
}

TEST_F(StatesTest, TheIrrepNamedByAFileIsReportedAsIgnored) {
  std::string text = read_file(configuration("../tests/data/h2o_sto3g.fcidump"));
  text.replace(text.find("ISYM=1"), 6, "ISYM=4");
  write_file(file("a.fcidump"), text);
  const std::string note = "ISYM = 4 of the file is ignored: set space.irrep to 4 for states";
  const std::string problem = "problem: {fcidump: a.fcidump}\n";
  const Finished finished = solve(problem);
  EXPECT_NE(finished.out.find(note), std::string::npos) << finished.out;
  const Finished with_irrep = solve(problem + "space: {irrep: 4}\n");
  EXPECT_EQ(with_irrep.code, 0) << with_irrep.err;
  EXPECT_EQ(with_irrep.out.find("ISYM"), std::string::npos) << with_irrep.out;
}

TEST_F(StatesTest, AProjectionOtherThanTheFilesIsUsedWithAWarning) {
  for (const std::string& source :
       {"fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump"),
        "trexio: " + configuration("../tests/data/h2o_sto3g.trexio.h5")}) {
    const Finished triplet = solve("problem: {" + source + ", ms2: 2}\n");
    ASSERT_EQ(triplet.code, 0) << triplet.err;
    EXPECT_NE(triplet.err.find("problem.ms2 = 2 overrides "), std::string::npos) << triplet.err;
    EXPECT_EQ(record_["problem"]["nelec"], json({6, 4}));
    EXPECT_NEAR(s2(0), 2, 1e-6);
    const Finished odd = solve("problem: {" + source + ", ms2: 1}\n");
    EXPECT_EQ(odd.code, 78) << odd.err;
    EXPECT_NE(odd.err.find("expected both even or both odd"), std::string::npos) << odd.err;
    EXPECT_EQ(solve("problem: {" + source + ", ms2: 0}\n").err.find("in place of"),
              std::string::npos);
  }
}

/// ISYM: most programs always write 1.
TEST_F(StatesTest, TheDefaultIsymOfAFileIsNotReported) {
  const Finished finished = solve(water("kind: cisd"));
  EXPECT_NE(read_file(configuration("h2o.fcidump")).find("ISYM=1"), std::string::npos);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.out.find("ISYM"), std::string::npos) << finished.out;
  EXPECT_EQ(finished.err.find("ISYM"), std::string::npos) << finished.err;
}

// Two orbitals without repulsion between spins: the two middle states are one determinant each.
TEST_F(StatesTest, DegenerateStatesOfSpinDependentIntegralsAreNotRotatedBySpin) {
  write_file(file("a.fcidump"),
             " &FCI NORB=2,NELEC=2,MS2=0,ORBSYM=1,1,ISYM=1,IUHF=1, &END\n 0.5 1 1 1 1\n"
             " 0 0 0 0 0\n 0.7 1 1 1 1\n 0 0 0 0 0\n 0 1 1 1 1\n 0 0 0 0 0\n 0 1 1 0 0\n"
             " 1 2 2 0 0\n 0 0 0 0 0\n 0 1 1 0 0\n 1 2 2 0 0\n 0 0 0 0 0\n 0 0 0 0 0\n");
  ASSERT_EQ(solve("problem: {fcidump: a.fcidump}\nsolver: {states: 4}\n").code, 0);
  for (const int j : {1, 2}) {
    EXPECT_NEAR(states()[j]["energy"], 1, 1e-12);
    EXPECT_NEAR(states()[j]["dominant"][0]["weight"], 1, 1e-12);
  }
}

TEST_F(StatesTest, ACutMultipletIsReportedInTableLogAndRecord) {
  const std::string ring = "problem: {lattice: {columns: 6, periodic_columns: true, u: 2}, ";
  const auto expect_cut = [&](const std::string& rest, int ask_for) {
    SCOPED_TRACE(rest);
    const Finished finished = solve(ring + rest);
    ASSERT_EQ(finished.code, 0) << finished.err;
    const std::string advice = "solver.states=" + std::to_string(ask_for);
    EXPECT_NE(finished.out.find("the last multiplet is cut"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find(advice), std::string::npos) << finished.out;
    EXPECT_NE(finished.err.find("warning: the last multiplet is cut"), std::string::npos)
        << finished.err;
    EXPECT_EQ(record_["multiplet"]["cut"], true);
    EXPECT_EQ(record_["multiplet"]["ask_for"], ask_for);
  };
  for (const std::string method : {"davidson", "lanczos", "dense"}) {
    expect_cut("electrons: 5}\nsolver: {states: 1, method: " + method + "}\n", 2);
    expect_cut("electrons: 4}\nsolver: {states: 2, method: " + method + "}\n", 3);
  }
  write_file(file("b.yaml"), ring + "electrons: 5}\nsweep: {solver.states: [1]}\n");
  const Finished sweep = run({"sweep", "b.yaml", "--force"});
  EXPECT_NE(sweep.err.find("warning: at 1: the last multiplet is cut"), std::string::npos)
      << sweep.err;
  const Finished whole = solve(ring + "electrons: 5}\nsolver: {states: 2, method: davidson}\n");
  EXPECT_EQ(whole.out.find("multiplet"), std::string::npos) << whole.out;
  EXPECT_EQ(record_["multiplet"]["cut"], false);
}

// Above the size at which eigenvalues are counted the search finds the partner.
TEST_F(StatesTest, TheSearchDetectsACutMultipletOfAPlane) {
  const Finished finished =
      run({configuration("hubbard-plane.yaml"), "--force", "--set", "solver.states=2"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.err.find("warning: the last multiplet is cut"), std::string::npos)
      << finished.err;
  EXPECT_NE(finished.out.find("solver.states=3"), std::string::npos) << finished.out;
}

TEST_F(StatesTest, TimesAddUpToTheTotal) {
  const auto expect_sum = [&](const std::string& rest) {
    SCOPED_TRACE(rest);
    ASSERT_EQ(solve(rest).code, 0);
    const json& times = record_["timings"];
    for (const char* phase : {"open_s", "wait_for_backend_s", "build_s", "solve_s", "product_s",
                              "verify_s", "analysis_s", "write_s", "total_s"})
      EXPECT_TRUE(times.contains(phase)) << phase;
    double sum = 0;
    for (const auto& [phase, seconds] : times.items())
      if (phase != "product_s" && phase != "total_s") sum += seconds.get<double>();
    EXPECT_NEAR(sum, times["total_s"], 1e-9);
    EXPECT_GE(record_["overlapped"]["write_s"].get<double>(),
              0);  // excluded: it is not part of the total
    if (times.contains("describe_s")) {
      EXPECT_NE(times["describe_s"], times["open_s"]);
    }
  };
  expect_sum(water("kind: fci"));
  expect_sum(water("kind: fci") + "product: {repeat: 3}\n");
  expect_sum("problem: {generate: {rows: 300, symmetric: true}}\nsolver: {states: 0}\n");
}

TEST_F(StatesTest, TheStorageIsReportedWithTheReason) {
  const Finished named = solve(water("kind: cisd") + "backend: openmp\nstorage: {format: sell}\n");
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("\nmatrix   sell on the host, "), std::string::npos) << named.out;
  EXPECT_NE(named.out.find(": set by storage.format\n"), std::string::npos) << named.out;
  EXPECT_EQ(record_["plan"]["reason"], "set by storage.format");
  ASSERT_EQ(solve(water("kind: cisd") + "backend: openmp\n").code, 0);
  EXPECT_EQ(record_["plan"]["text"], "hybrid on the host");
  EXPECT_NE(record_["plan"]["reason"], "set by storage.format");
  EXPECT_TRUE(record_["plan"]["reason"].is_string());
}

TEST_F(StatesTest, DensitiesAreLeftOutOnRequestAndReported) {
  const Finished finished =
      solve(water("kind: fci") + "analysis: {densities: one, determinants: 1}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(states()[0]["density_energy"].is_null());
  EXPECT_EQ(states()[0]["natural_occupations"].size(), 7U);
  EXPECT_EQ(states()[0]["dominant"].size(), 1U);
  EXPECT_EQ(record_["densities"]["computed"], "one");
  EXPECT_NE(finished.out.find("not recomputed from density matrices"), std::string::npos);
  ASSERT_EQ(solve(water("kind: fci") + "analysis: {densities: none}\n").code, 0);
  EXPECT_TRUE(states()[0]["natural_occupations"].empty());
}

TEST_F(StatesTest, AMatrixReportsNoSpins) {
  write_file(file("a.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1.0\n2 2 2.0\n");
  ASSERT_EQ(solve("problem: {matrix: a.mtx}\n").code, 0);
  EXPECT_TRUE(states()[0]["s2"].is_null());
  EXPECT_TRUE(states()[0]["irrep"].is_null());
}

}  // namespace
}  // namespace cisolve::test
