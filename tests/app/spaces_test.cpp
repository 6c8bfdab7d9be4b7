#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.hpp"
#include "jobs.hpp"

// Molecules from TREXIO files, spaces from files of determinants, and matrices without their small
// elements, from the configuration to the energies.
namespace cisolve::test {
namespace {

using nlohmann::json;

constexpr double kWaterHf = -74.96302313846284;

class SpacesTest : public JobsTest {
 protected:
  static std::string data(const std::string& name) {
    return std::string(CISOLVE_DATA) + "/" + name;
  }

  void expect_refused(int code, const std::string& rest, const std::string& message) const {
    JobsTest::expect_refused(water_, rest, message.c_str(), code);
  }

  // Every string of `orbitals` orbitals and `electrons` electrons, orbital 1 at the right.
  static std::vector<std::string> strings(int orbitals, int electrons) {
    std::vector<std::string> all;
    for (unsigned bits = 0; bits < 1u << orbitals; ++bits) {
      std::string text;
      for (int p = orbitals - 1; p >= 0; --p) text += (bits >> p & 1) != 0 ? '1' : '0';
      if (std::ranges::count(text, '1') == electrons) all.push_back(text);
    }
    return all;
  }

  std::string water_ = "fcidump: " + data("h2o_sto3g.fcidump");
};

// Orbitals 4 and 6 of water are exchanged in the file, so that filling by number gives an excited
// determinant.
TEST_F(SpacesTest, AReferenceThatIsNotTheLowestIsWarnedOf) {
  std::istringstream lines(read_file(std::string(CISOLVE_DATA) + "/h2o_sto3g.fcidump"));
  std::string text;
  bool body = false;
  for (std::string line; std::getline(lines, line);) {
    const auto swapped = [](const std::string& word) {
      return word == "4" ? "6" : word == "6" ? "4" : word;
    };
    if (body) {
      std::istringstream words(line);
      std::string value;
      std::string i;
      std::string j;
      std::string k;
      std::string l;
      words >> value >> i >> j >> k >> l;
      line = value;
      for (const std::string& word : {i, j, k, l}) line += " " + swapped(word);
    } else if (const auto at = line.find("ORBSYM="); at != std::string::npos) {
      std::swap(line[at + 13], line[at + 17]);  // swaps the fourth and the sixth orbital
    }
    body = body || line.find("&END") != std::string::npos;
    text += line + "\n";
  }
  write_file(file("swapped.fcidump"), text);
  write_file(file("a.yaml"), "problem: {fcidump: swapped.fcidump}\nspace: {kind: cisd}\n");
  const Finished warned = run({"a.yaml"});
  EXPECT_EQ(warned.code, 0) << warned.err;
  EXPECT_NE(warned.err.find("the reference 2222200, which fills the lowest orbitals"),
            std::string::npos)
      << warned.err;
  EXPECT_NE(warned.err.find("2220220 is lower at"), std::string::npos) << warned.err;
  const Finished named = run({"a.yaml", "--force", "--set", "space.reference=2220220"});
  EXPECT_EQ(named.err.find("is lower at"), std::string::npos) << named.err;
  EXPECT_NEAR(json::parse(read_file(file("out/run.json")))["states"][0]["energy"].get<double>(),
              -75.01187316962857, 1e-8);  // energy of the unchanged file
  write_file(file("a.yaml"), "problem: {fcidump: " + std::string(CISOLVE_DATA) +
                                 "/h2o_sto3g.fcidump}\nspace: {kind: cisd}\n");
  EXPECT_EQ(run({"a.yaml", "--force"}).err.find("is lower at"), std::string::npos);
}

TEST_F(SpacesTest, ATrexioFileAndAnFcidumpHaveEqualEnergies) {
  const json record = solved("trexio: " + data("h2o_sto3g.trexio.h5"), "solver: {states: 2}\n");
  EXPECT_EQ(record["problem"]["dialect"], "TREXIO");
  EXPECT_EQ(record["problem"]["integrals_of_rounding"], 8);
  EXPECT_EQ(record["problem"]["nelec"], json({5, 5}));
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
  const json again = solved(water_, "solver: {states: 2}\n");
  EXPECT_NEAR(record["states"][1]["energy"].get<double>(),
              again["states"][1]["energy"].get<double>(), 1e-9);
}

TEST_F(SpacesTest, ElectronsThatContradictATrexioFileExitWith65) {
  const std::string problem = "trexio: " + data("h2o_sto3g.trexio.h5");
  EXPECT_EQ(run_job(problem + ", electrons: 10, ms2: 0", "").code, 0);
  const Finished finished = run_job(problem + ", electrons: 8", "");
  EXPECT_EQ(finished.code, 65);
  EXPECT_NE(finished.err.find("has electrons = 10, but problem.electrons is 8"), std::string::npos)
      << finished.err;
}

TEST_F(SpacesTest, AListOfDeterminantsSpansTheSpace) {
  write_file(file("one.txt"), "# Hartree-Fock alone\n2222200\n");
  const json one = solved(water_, "space: {kind: list, determinants: one.txt}\n");
  EXPECT_EQ(one["space"]["dimension"], 1);
  EXPECT_NEAR(one["states"][0]["energy"].get<double>(), kWaterHf, 1e-9);

  std::string all;
  for (const std::string& alpha : strings(7, 5))
    for (const std::string& beta : strings(7, 5))
      all.append(alpha).append(" ").append(beta).append("\n");
  write_file(file("all.txt"), all);
  const json fci = solved(water_, "space: {kind: list, determinants: all.txt}\n");
  EXPECT_EQ(fci["space"]["dimension"], 441);
  EXPECT_NEAR(fci["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
}

TEST_F(SpacesTest, ResultsWithoutDeterminantsAreNoListOfThem) {
  solved(water_, "output: {vectors: false}\n");
  std::filesystem::copy(file("out/results.h5"), file("bare.h5"));
  expect_refused(65, "space: {kind: list, determinants: bare.h5}\n",
                 "bare.h5: determinants: none in it; expected results of a job with "
                 "'output.vectors: true'");
}

TEST_F(SpacesTest, ListedDeterminantsKeepTheFrozenOrbitalsFull) {
  std::string text;
  for (const std::string& alpha : strings(6, 4))
    for (const std::string& beta : strings(6, 4))
      text.append(alpha).append("1 ").append(beta).append("1\n");
  write_file(file("frozen.txt"), text);
  const json listed = solved(water_, "space: {kind: list, determinants: frozen.txt, frozen: 1}\n");
  const json fci = solved(water_, "space: {frozen: 1}\n");
  EXPECT_EQ(listed["space"]["dimension"], fci["space"]["dimension"]);
  EXPECT_NEAR(listed["states"][0]["energy"].get<double>(), fci["states"][0]["energy"].get<double>(),
              1e-9);
  write_file(file("hole.txt"), "# two\n2222200\nud22220\n");
  expect_refused(65, "space: {kind: list, determinants: hole.txt, frozen: 1}\n",
                 "hole.txt:3: determinant 2 has a hole in the frozen orbital 1");
}

TEST_F(SpacesTest, AProductOfStringsSpansTheSpace) {
  std::string text;
  for (const std::string& string : strings(7, 5)) text += string + "\n";
  write_file(file("all.txt"), text);
  write_file(file("one.txt"), "0011111\n");
  const json fci = solved(water_, "space: {kind: product, alpha: all.txt, beta: all.txt}\n");
  EXPECT_EQ(fci["space"]["dimension"], 441);
  EXPECT_NEAR(fci["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
  const json part = solved(water_, "space: {kind: product, alpha: all.txt, beta: one.txt}\n");
  EXPECT_EQ(part["space"]["dimension"], 21);
  EXPECT_LT(part["states"][0]["energy"].get<double>(), kWaterHf + 1e-9);
}

TEST_F(SpacesTest, BadListsExitWith65AndTheirLine) {
  const std::string list = "space: {kind: list, determinants: d.txt}\n";
  write_file(file("d.txt"), "2222200\n\n2222020\n2222200\n");
  expect_refused(65, list, "d.txt:4: determinant 3 repeats determinant 1 on line 1");
  write_file(file("d.txt"), "2222200\n# next\n2222u00\n");
  expect_refused(65, list, "d.txt:3: determinant 2 has 5 alpha and 4 beta electrons; expected 5");
  write_file(file("d.txt"), "2222200\n222220x\n");
  expect_refused(65, list, "d.txt:2: 'x' at orbital 7");
  write_file(file("d.txt"), "");
  expect_refused(65, list, "no determinants");
  const std::string product = "space: {kind: product, alpha: d.txt, beta: d.txt}\n";
  write_file(file("d.txt"), "0011111\n0111111\n");
  expect_refused(65, product, "d.txt:2: string 2 has 6 electrons; expected 5");
  write_file(file("d.txt"), "0011111\n0011111\n");
  expect_refused(65, product, "d.txt:2: string 2 repeats string 1 on line 1");
  expect_refused(66, "space: {kind: list, determinants: none-such.txt}\n", "none-such.txt");
}

TEST_F(SpacesTest, AnImpossibleReferenceExitsWith78WhateverTheKind) {
  for (const std::string kind : {"fci", "cisd", "mrci, references: [2222200]", "ras"}) {
    const auto expect_impossible = [&](const std::string& reference, const std::string& message) {
      expect_refused(
          78, base::concat("space: {kind: ", kind, ", reference: \"", reference, "\"}\n"), message);
    };
    expect_impossible("22222", "it names 5 orbitals; expected all 7");
    expect_impossible("22222000", "it names 8 orbitals; expected all 7");
    expect_impossible("2222uuu", "it has 7 alpha and 4 beta electrons; expected 5 and 5");
    expect_impossible("222220x", "'x' at orbital 7");
    expect_impossible("11111 0011111", "it names 5 orbitals");
  }
  expect_refused(78, "space: {kind: fci, references: [\"2222200\", \"22222\"]}\n",
                 "it names 5 orbitals");
  expect_refused(78, "space: {frozen: 1, reference: \"ud22220\"}\n", "frozen orbital 1");
  EXPECT_EQ(run_job(water_, "space: {kind: fci, reference: \"2222020\"}\n").code, 0);
}

TEST_F(SpacesTest, ARasMayLackItsMiddleAndItsEnd) {
  const std::string ras = "space: {kind: ras, ";
  // The size of CISD.
  EXPECT_EQ(solved(water_, ras + "ras1: 5, ras2: 0}\n")["space"]["dimension"], 141);
  EXPECT_EQ(solved(water_, ras + "ras1: 7, holes: 4}\n")["space"]["dimension"], 441);
  expect_refused(78, ras + "ras1: 8}\n", "8 ras1 orbitals; expected 0 to 7");
  expect_refused(78, ras + "ras1: [1, 2], ras2: [2]}\n", "orbital 2 is both ras1 and ras2");
}

// Errors thrown below app/ name the file and key.
TEST_F(SpacesTest, ImpossibleOrbitalsAreRefusedWithTheirKeys) {
  const std::string window = "a.yaml:2: space.frozen and space.active: ";
  expect_refused(78, "space: {frozen: 9}\n", window + "9 frozen orbitals; expected 0 to 7");
  expect_refused(78, "space: {frozen: [9]}\n", window + "frozen orbital 9");
  expect_refused(78, "space: {frozen: 7}\n", window + "no active orbitals are left");
  expect_refused(78, "space: {frozen: 6}\n",
                 window + "5 electrons of one spin with 6 frozen and 1 active orbital;");
  expect_refused(78, "space: {electrons: [9, 1]}\n", "a.yaml:2: space.electrons: 9 electrons");
  const std::string ras = "space: {kind: ras, ";
  expect_refused(78, ras + "ras1: 8}\n", "a.yaml:2: space.ras1 and space.ras2: 8 ras1");
  JobsTest::expect_refused("generate: {density: 0.1, reference_per_row: 4000}", "",
                           "a.yaml: problem.generate: reference_per_row is 4000");
}

TEST_F(SpacesTest, AFileBelongsToOneKindOfSpace) {
  write_file(file("d.txt"), "2222200\n");
  expect_refused(78, "space: {kind: list}\n",
                 "space.determinants is not given and space.kind is list");
  expect_refused(78, "space: {kind: product, alpha: d.txt}\n", "space.beta is not given");
  expect_refused(78, "space: {determinants: d.txt}\n",
                 "space.determinants is given, but space.kind is fci; expected kind: list");
}

TEST_F(SpacesTest, TheRequestedFractionOfElementsIsStored) {
  const json whole = solved(water_, "storage: {elements: precomputed}\n");
  const json part = solved(water_, "storage: {elements: mixed, share: 0.4}\n");
  const json& found = part["operator"];
  EXPECT_EQ(found["path"], "mixed");
  EXPECT_EQ(found["format"], "hybrid");
  EXPECT_EQ(found["nonzeros"], whole["operator"]["nonzeros"]);
  const double nonzeros = found["nonzeros"];
  EXPECT_LE(found["stored"]["nonzeros"].get<double>(), 0.4 * nonzeros);
  EXPECT_GT(found["stored"]["nonzeros"].get<double>(), 0.3 * nonzeros);
  EXPECT_NEAR(part["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
}

TEST_F(SpacesTest, AThresholdLeavesElementsOutAndIsReported) {
  const json whole = solved(water_, "");
  const Finished finished = run_job(water_, "storage: {threshold: 1e-3}\n");
  EXPECT_EQ(finished.code, 0) << finished.err;  // verified as the smaller matrix that it is
  EXPECT_NE(finished.err.find("elements of at most 0.001 are set to zero"), std::string::npos)
      << finished.err;
  const json part = json::parse(read_file(file("out/run.json")));
  EXPECT_LT(part["operator"]["nonzeros"], whole["operator"]["nonzeros"]);
  const double change = part["states"][0]["energy"].get<double>() - kWaterFci;
  EXPECT_GT(std::abs(change), 1e-9);
  EXPECT_LT(std::abs(change), 1e-2);
  const std::string note =
      "they include all elements, whereas the states belong to the matrix without elements up to "
      "0.001";
  EXPECT_EQ(part["densities"]["note"], note);
  EXPECT_NE(finished.out.find(": " + note), std::string::npos) << finished.out;
  EXPECT_TRUE(whole["densities"]["note"].is_null());
  const json diagonal = solved(water_, "storage: {threshold: 1e9}\n");
  EXPECT_EQ(diagonal["operator"]["nonzeros"], 441);
  EXPECT_NEAR(diagonal["states"][0]["energy"].get<double>(), kWaterHf, 1e-9);
}

TEST_F(SpacesTest, AThresholdHoldsForAMatrixFileToo) {
  write_file(file("m.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 0.001\n2 1 0.01\n"
             "2 2 2\n3 2 0.5\n3 3 1\n");
  const json part = solved("matrix: m.mtx", "storage: {threshold: 0.01}\nsolver: {states: 3}\n");
  EXPECT_EQ(part["operator"]["nonzeros"], 5);
  EXPECT_NEAR(part["states"][0]["energy"].get<double>(), 0.001, 1e-12);
  EXPECT_NEAR(part["states"][1]["energy"].get<double>(), 1.5 - std::sqrt(0.5), 1e-12);
}

TEST_F(SpacesTest, APartitionDividesTheMatrixAndLeavesTheStates) {
  const std::string solver = "solver: {states: 2, method: davidson}\n";
  const json whole = solved(water_, solver);
  EXPECT_EQ(whole["space"]["reference"], 0);
  const std::pair<const char*, int> rules[] = {
      {"{lowest: 30}", 30}, {"'lowest: 441'", 441}, {"{excitation: 1}", 21}, {"none", 0}};
  for (const auto& [rule, reference] : rules) {
    SCOPED_TRACE(rule);
    const std::string space = std::string("space: {partition: ") + rule + "}\n";
    const json part = solved(water_, space + solver + "storage: {format: hybrid}\n");
    EXPECT_EQ(part["space"]["reference"], reference);
    EXPECT_EQ(part["space"]["expansion"], 441 - reference);
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(part["states"][j]["energy"].get<double>(),
                  whole["states"][j]["energy"].get<double>(), 1e-10);
      // The determinants of the states, in canonical order, are the same.
      EXPECT_EQ(part["states"][j]["dominant"][0]["determinant"],
                whole["states"][j]["dominant"][0]["determinant"]);
    }
  }
  const json triplets = solved(water_, "space: {partition: {lowest: 30}, spin: 1}\n" + solver);
  EXPECT_NEAR(triplets["states"][0]["s2"].get<double>(), 2, 1e-9);
  const json mrci =
      solved(water_, "space: {kind: mrci, references: [2222200, 2222020], level: 2}\n" + solver);
  EXPECT_EQ(mrci["space"]["reference"], 2);
  expect_refused(78, "space: {partition: {lowest: 442}}\n", "expected at most 441");
  expect_refused(78, "space: {partition: reference}\n", "but a fci space has none");
}

TEST_F(SpacesTest, EveryStartConvergesToTheSameState) {
  for (const std::string start : {"model", "random"}) {
    const json record = solved(water_, "solver: {method: davidson, start: " + start + "}\n");
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
  }
}

TEST_F(SpacesTest, EveryRequestedFileIsWrittenAndNoneOverwritten) {
  const std::string output = "output: {history: true, trexio: true}\n";
  solved(water_, output);
  for (const std::string name : {"run.json", "results.h5", "history.csv", "states.trexio.h5"}) {
    EXPECT_TRUE(exists(file("out") / name)) << name;
    for (const auto& other : std::filesystem::directory_iterator(file("out")))
      if (other.path().filename() != name) std::filesystem::remove(other.path());
    const Finished again = run({"a.yaml"});
    EXPECT_EQ(again.code, 73) << again.err;
    EXPECT_NE(again.err.find(name + ": the file exists"), std::string::npos) << again.err;
    solved(water_, output);
  }
  const std::string table = read_file(file("out/history.csv"));
  EXPECT_TRUE(table.starts_with("iteration,subspace,products,searching")) << table;
}

TEST_F(SpacesTest, ATubeHasTheSameEnergiesAlongEitherAxis) {
  const std::string rest = "solver: {states: 2}\nstorage: {format: csb, block_size: 64}\n";
  const json upright =
      solved("lattice: {columns: 2, rows: 3, periodic_rows: true}", rest + "device_memory: 1 GB\n");
  const json lying = solved("lattice: {columns: 3, rows: 2, periodic_columns: true}", rest);
  const json open = solved("lattice: {columns: 3, rows: 2}", rest);
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(upright["states"][j]["energy"].get<double>(),
                lying["states"][j]["energy"].get<double>(), 1e-9);
  EXPECT_GT(std::abs(open["states"][0]["energy"].get<double>() -
                     lying["states"][0]["energy"].get<double>()),
            1e-3);
}

TEST_F(SpacesTest, TheDeterminantsOfAResultSpanTheSameSpace) {
  for (const std::string kind : {"", ", irrep: 2", ", kind: cisd"}) {  // strings, blocks, neither
    const json frozen = solved(water_, "space: {frozen: 1" + kind + "}\n");
    std::filesystem::rename(file("out/results.h5"), file("first.h5"));
    const json listed = solved(water_,
                               "space: {kind: list, determinants: first.h5, frozen: 1}\n"
                               "output: {vectors: false}\n");
    EXPECT_EQ(listed["space"]["dimension"], frozen["space"]["dimension"]);
    EXPECT_EQ(listed["states"][0]["energy"], frozen["states"][0]["energy"]);
    EXPECT_LT(file_size(file("out/results.h5")), file_size(file("first.h5")));
  }
  const Finished matrix =
      run_job("generate: {rows: 50, symmetric: true}", "output: {trexio: true}\n");
  EXPECT_EQ(matrix.code, 78) << matrix.err;
}

}  // namespace
}  // namespace cisolve::test
