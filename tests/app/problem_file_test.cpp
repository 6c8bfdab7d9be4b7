#include <nlohmann/json.hpp>

#include "app/config/key_conditions.hpp"
#include "app/config/load.hpp"
#include "program.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/sanitizers.hpp"

// Jobs without a configuration, configurations in JSON, and the order of refusals.
namespace cisolve::test {
namespace {

using nlohmann::json;

class ProblemFileTest : public ProgramTest {
 protected:
  void copy(const std::string& name, const std::string& as) const {
    std::filesystem::copy_file(std::string(CISOLVE_DATA) + "/" + name, file(as));
  }
  json record_of(const std::string& folder) const {
    return json::parse(read_file(file(folder + "/run.json")));
  }
  static void expect_within(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
  }
};

TEST_F(ProblemFileTest, RunsWithDefaultsThatItReports) {
  copy("h2o_sto3g.fcidump", "water.fcidump");
  const Finished finished = run({"water.fcidump"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  for (const char* part :
       {"7 orbitals, 5 alpha and 5 beta electrons", "ci-solve init water.fcidump",
        "space.kind: fci", "solver.states: 1", "output.directory: out/water"})
    expect_within(finished.out, part);
  EXPECT_NEAR(record_of("out/water")["states"][0]["energy"].get<double>(), -75.01257824109203,
              1e-9);
  EXPECT_EQ(run({"water.fcidump"}).code, 73);
  const Finished other = run({"water.fcidump", "--set", "space={kind: cisd, frozen: 2}", "--set",
                              "output.directory=mine", "--json", "-"});
  EXPECT_EQ(json::parse(other.out)["space"]["kind"], "cisd") << other.err;
  EXPECT_TRUE(exists(file("mine/run.json")));
  EXPECT_EQ(run({"none-such.fcidump"}).code, 66);
}

TEST_F(ProblemFileTest, IntegralsAreReadByTheJobOnly) {
  write_file(file("cut.fcidump"), "&FCI NORB=3,NELEC=3,MS2=1,/\n0.5 1 1\n");
  const Finished finished = run({"cut.fcidump"});
  EXPECT_EQ(finished.code, 65);
  expect_within(finished.out, "3 orbitals, 2 alpha and 1 beta electrons");
  expect_within(finished.err, "cut.fcidump:2:");
  expect_within(run({"cut.fcidump", "--set", "space.electrons=[3, 0]"}).out,
                "3 alpha and 0 beta electrons");
}

// Most files begin with two-electron integrals: a truncated one has a ground state, far from the
// true one.
TEST_F(ProblemFileTest, AFileWithoutOneElectronIntegralsIsRefusedUnlessTheModelHasNone) {
  const std::string whole = read_file(std::string(CISOLVE_DATA) + "/h2o_sto3g.fcidump");
  const std::size_t first = whole.find("   0   0\n");
  ASSERT_NE(first, std::string::npos);
  const std::string cut = whole.substr(0, whole.rfind('\n', first) + 1);
  write_file(file("cut.fcidump"), cut);
  write_file(file("core.fcidump"), cut + " 9.5 0 0 0 0\n");
  for (const char* name : {"cut.fcidump", "core.fcidump"}) {
    const Finished refused = run({name});
    EXPECT_EQ(refused.code, 65) << refused.out;
    expect_within(refused.err, "no one-electron integrals");
    expect_within(refused.err, "problem.one_electron_integrals: none");
  }
  const Finished model =
      run({"cut.fcidump", "--set", "problem.one_electron_integrals=none", "--quiet"});
  EXPECT_EQ(model.code, 0) << model.err;
  EXPECT_GT(record_of("out/cut")["states"][0]["energy"].get<double>(), 0);
  write_file(file("whole.fcidump"), whole);
  const Finished other = run({"whole.fcidump", "--set", "problem.one_electron_integrals=none"});
  EXPECT_EQ(other.code, 78) << other.out;
  expect_within(other.err, "a one-electron integral, but problem.one_electron_integrals is none");
}

// A damaged letter in the name of an optional group.
TEST_F(ProblemFileTest, ATrexioFileWithoutItsRepulsionIsRefusedUnlessTheModelHasNone) {
  const std::string whole = std::string(CISOLVE_DATA) + "/h2o_sto3g.trexio.h5";
  std::string bytes = read_file(whole);
  const std::size_t at = bytes.find("nucleus_repulsion");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'm';
  write_file(file("damaged.h5"), bytes);
  const Finished refused = run({"damaged.h5"});
  EXPECT_EQ(refused.code, 65) << refused.out;
  expect_within(refused.err, "damaged.h5: the group nucleus has no nucleus_repulsion");
  expect_within(refused.err, "problem.nucleus_repulsion: none");
  const Finished model = run({"damaged.h5", "--set", "problem.nucleus_repulsion=none"});
  EXPECT_EQ(model.code, 0) << model.err;
  const Finished other = run({whole, "--set", "problem.nucleus_repulsion=none"});
  EXPECT_EQ(other.code, 78) << other.out;
  expect_within(other.err, "a nucleus_repulsion, but problem.nucleus_repulsion is none");
}

TEST_F(ProblemFileTest, AllWarningsAreInTheRecordEvenIfHidden) {
  std::string text = read_file(std::string(CISOLVE_DATA) + "/h2o_sto3g.fcidump");
  text.erase(text.rfind('\n', text.size() - 2) + 1);  // the core energy
  write_file(file("a.fcidump"), text);
  write_file(file("a.yaml"),
             "problem: {fcidump: a.fcidump}\nstorage: {format: csr, boundary: 5}\n"
             "solver: {states: 600, method: dense}\nanalysis: {densities: none}\n");
  const Finished finished = run({"a.yaml"});
  const json shown = record_of("out")["warnings"];
  const Finished quiet = run({"a.yaml", "--force", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(record_of("out")["warnings"], shown);
  for (const char* words :
       {"storage.boundary has no effect", "no core energy", "600 states were requested"})
    expect_within(shown.dump(), words);
  for (const std::string warning : shown) expect_within(finished.err, "warning: " + warning);
}

TEST_F(ProblemFileTest, IsRecognisedByItsNameOrItsFirstBytes) {
  copy("h2o_sto3g.fcidump", "FCIDUMP");
  copy("h2o_sto3g.trexio.h5", "trexio.h5");
  expect_within(run({"check", "FCIDUMP"}).out, "output.directory: out/FCIDUMP");
  expect_within(run({"check", "trexio.h5"}).out, "problem.trexio: trexio.h5");
  write_file(file("a.dat"), "problem: {lattice: {columns: 2}}\n");
  EXPECT_EQ(run({"check", "a.dat"}).code, 0);
}

TEST_F(ProblemFileTest, AMatrixIsSolvedOrOnRequestMultiplied) {
  std::filesystem::copy_file(configuration("example.mtx"), file("a.mtx"));
  ASSERT_EQ(run({"matrix", "convert", "a.mtx", "b.h5"}).code, 0);
  ASSERT_EQ(run({"a.mtx"}).code, 0);
  ASSERT_EQ(run({"b.h5"}).code, 0);
  EXPECT_EQ(record_of("out/a")["states"][0]["energy"], record_of("out/b")["states"][0]["energy"]);
  write_file(file("skew.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 -1\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"skew.mtx"}, {"check", "skew.mtx"}, {"init", "skew.mtx"}}) {
    const Finished finished = run(command);
    EXPECT_EQ(finished.code, 65) << finished.err;
    expect_within(finished.err,
                  "skew.mtx: the matrix is not symmetric: max |H - H^T| = 2 at row 1, column 2");
    expect_within(finished.err, "or --set solver.states=0 to describe and multiply it only");
  }
  ASSERT_EQ(run({"matrix", "convert", "skew.mtx", "skew.h5"}).code, 0);
  const Finished binary = run({"skew.h5"});
  EXPECT_EQ(binary.code, 65) << binary.err;
  expect_within(binary.err, "error: skew.h5: the matrix is not symmetric: max |H - H^T| = 2");
  EXPECT_EQ(run({"skew.mtx", "--set", "solver.states=0"}).code, 0);
  EXPECT_FALSE(record_of("out/skew").contains("states"));
}

// A matrix too large for the budget is still recognised.
TEST_F(ProblemFileTest, AnHdf5MatrixBeyondTheBudgetIsNotBadInput) {
  ASSERT_EQ(run({"matrix", "generate", "a.h5", "--rows", "500", "--symmetric"}).code, 0);
  const Finished finished = run({"a.h5", "--set", "memory=50 KiB"});
  EXPECT_EQ(finished.code, 71) << finished.err;
  expect_within(finished.err, "of the memory budget of 50 KiB are free");
}

TEST_F(ProblemFileTest, AnEmptyFileIsRecognisedByItsName) {
  for (const auto& [name, words] :
       {std::pair("a.mtx", "the file does not begin as a Matrix Market file"),
        {"a.npz", "the file is not a ZIP archive"},
        {"a.h5", "as a matrix"},
        {"a.fcidump", "expected &FCI and integrals"}}) {
    write_file(file(name), "");
    const Finished finished = run({"check", name});
    EXPECT_EQ(finished.code, 65) << name << finished.err;
    expect_within(finished.err, words);
  }
  write_file(file("none.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n");
  const Finished none = run({"none.mtx"});
  EXPECT_EQ(none.code, 65) << none.err;
  expect_within(none.err, "a matrix of dimension 0 has no states");
}

// One element, and a row count that asks for 1.6 GB.
TEST_F(ProblemFileTest, AFileIsReadWithinTheMemoryLimit) {
  write_file(file("huge.mtx"),
             "%%MatrixMarket matrix coordinate real general\n"
             "200000000 200000000 1\n1 1 1\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"huge.mtx"}, {"check", "huge.mtx"}, {"init", "huge.mtx"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--set", "memory=1GiB"});
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, 71) << finished.err;
    expect_within(finished.err, "of the memory budget of 1 GiB");
    EXPECT_LT(finished.peak_kib, unless_sanitized(200, 800) * 1024);
  }
}

// The first lines suffice; the rest is not read.
TEST_F(ProblemFileTest, ASymmetricMatrixThatDoesNotFitIsRefusedBeforeItIsRead) {
  write_file(file("huge.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n"
             "200000000 200000000 1\n1 1 what\n");
  // The job runs on the host, since a device may have enough memory for the vectors.
  const std::vector<std::string> within{"huge.mtx", "--set", "memory=1GiB", "--set",
                                        "backend=openmp"};
  const Finished solved = run(within);
  EXPECT_EQ(solved.code, 71) << solved.err;
  expect_within(solved.err, "not enough memory: 200,000,000 rows: the vectors ");
  std::vector<std::string> check{"check"};
  check.insert(check.end(), within.begin(), within.end());
  const Finished checked = run(check);
  EXPECT_EQ(checked.code, 0) << checked.err;
  expect_within(checked.out, "DOES NOT FIT; ");
  write_file(file("small.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n9 9 1\n1 1 what\n");
  const Finished small = run({"small.mtx"});
  EXPECT_EQ(small.code, 65) << small.err;
  expect_within(small.err, "small.mtx:3: ");
}

TEST_F(ProblemFileTest, IntegralsWithoutAHeaderNeedTheNumberOfElectrons) {
  for (const char* text :
       {"1 1 1 1 0.5\n1 1 0 0 -1.25D0\n", "0.5 1 1 1 1\r\n-1.25D0 1 1 0 0\r\n"}) {
    write_file(file("bare.dat"), text);
    const Finished finished = run({"bare.dat"});
    EXPECT_EQ(finished.code, 65) << finished.err;
    expect_within(finished.err, "bare.dat:1: the number of electrons is not given");
    for (const char* electrons : {"problem.electrons=2", "space.electrons=[1, 1]"}) {
      EXPECT_EQ(run({"bare.dat", "--force", "--set", electrons}).code, 0);
      EXPECT_NEAR(record_of("out/bare")["states"][0]["energy"].get<double>(), -2, 1e-12);
    }
  }
  for (const char* text : {"1 1 1 1\n", "1 1 1 a 0.5\n", "1 1 1 1 1 0.5\n", "1 1 1 1 x\n"}) {
    write_file(file("none.dat"), text);
    expect_within(run({"none.dat"}).err, "none.dat:1: expected sections and keys");
  }
}

TEST_F(ProblemFileTest, IsCheckedAndDescribedLikeAConfiguration) {
  copy("h2o_sto3g.fcidump", "water.fcidump");
  const Finished checked = run({"check", "water.fcidump"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  expect_within(checked.out, "441 x 441");
  expect_within(run({"matrix", "info", "water.fcidump"}).out, "memory by format");
  EXPECT_FALSE(exists(file("out")));
}

TEST_F(ProblemFileTest, AJsonConfigurationIsAJobEverywhere) {
  copy("h2o_sto3g.fcidump", "water.fcidump");
  write_file(file("job.json"), json{{"problem", {{"fcidump", "water.fcidump"}}},
                                    {"space", {{"frozen", 2}, {"irrep", "any"}}},
                                    {"memory", "1 GiB"},
                                    {"output", {{"directory", "out"}, {"checkpoint", "10 min"}}}}
                                   .dump());
  EXPECT_EQ(run({"job.json"}).code, 0);
  EXPECT_EQ(run({"check", "job.json"}).code, 0);
  const json info = json::parse(run({"matrix", "info", "job.json", "--json", "-"}).out);
  EXPECT_EQ(info["memory"].size(), sparse::format_names().size());
  EXPECT_EQ(run({"resume", "out"}).code, 0);
}

TEST_F(ProblemFileTest, UnusedKeysWarnAndChangeNoExitCode) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 3}}\nspace: {level: 2, holes: 1, ras1: 1}\n"
             "storage: {format: csr, boundary: 3}\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"a.yaml"}, {"check", "a.yaml"}}) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const std::string key : {"space.level", "space.holes", "space.ras1", "storage.boundary"})
      expect_within(finished.err, "a.yaml: " + key + " has no effect; it is used only with ");
  }
  const Finished product = run({"matrix", "product", configuration("example.mtx"), "--formats",
                                "csr,sell", "--boundary", "3", "--slice-height", "2"});
  expect_within(product.err, "storage.boundary has no effect");
  EXPECT_EQ(product.err.find("slice_height"), std::string::npos) << product.err;
}

TEST_F(ProblemFileTest, NoExampleHasAnUnusedKey) {
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_CONFIGS)) {
    if (entry.path().extension() != ".yaml") continue;
    const app::Configuration c = app::load_configuration(entry.path().string(), {});
    for (const app::UnusedKey& idle :
         c.sweep.axes.empty() ? app::keys_without_effect(c) : app::keys_without_effect_on_sweep(c))
      ADD_FAILURE() << entry.path() << ": " << idle.key << " counts " << idle.when;
  }
}

// Existing results are reported last: other errors must be fixed anyway.
TEST_F(ProblemFileTest, AWrongConfigurationIsReportedBeforeExistingFiles) {
  copy("h2o_sto3g.fcidump", "water.fcidump");
  write_file(file("a.yaml"), "problem: {fcidump: water.fcidump}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 0);
  const auto code = [&](const std::string& set) { return run({"a.yaml", "--set", set}).code; };
  EXPECT_EQ(run({"a.yaml"}).code, 73);
  EXPECT_EQ(code("space.reference=22220"), 78);
  EXPECT_EQ(code("space.frozen=6"), 78);
  EXPECT_EQ(code("space.kind=mrci"), 78);
  EXPECT_EQ(code("problem.fcidump=none-such.fcidump"), 66);
  EXPECT_EQ(code("problem.matrix=none-such.mtx"), 66);
  EXPECT_EQ(
      run({configuration("quickstart.yaml"), "--set", "output={directory: out, trexio: true}"})
          .code,
      78);
  write_file(file("taken.json"), "");
  EXPECT_EQ(run({"check", "a.yaml", "--json", "taken.json", "--set", "thread=1"}).code, 78);
  EXPECT_EQ(run({"check", "none-such.yaml", "--json", "taken.json"}).code, 66);
  EXPECT_EQ(run({"check", "a.yaml", "--json", "taken.json"}).code, 73);
  EXPECT_EQ(run({"matrix", "generate", "taken.json", "--reference-per-row", "4000"}).code, 78);
  write_file(file("none-such.yaml"), "mine");
  EXPECT_EQ(run({"init", "none-such.fcidump"}).code, 66);
}

TEST_F(ProblemFileTest, NoFileOfReplacedResultsRemains) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 3}}\noutput: {history: true, trexio: true}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 0);
  std::filesystem::create_directories(file("out/plots"));
  for (const std::string name :
       {"out/report.html", "out/plots/spectrum.svg", "out/plots/pattern.png", "out/plots/mine.svg"})
    write_file(file(name), "old");
  ASSERT_EQ(
      run({"a.yaml", "--force", "--set", "output.history=false", "--set", "output.trexio=false"})
          .code,
      0);
  for (const std::string name :
       {"out/report.html", "out/plots/spectrum.svg", "out/plots/pattern.png", "out/history.csv",
        "out/states.trexio.h5"})
    EXPECT_FALSE(exists(file(name))) << name;
  EXPECT_TRUE(exists(file("out/plots/mine.svg")));  // a picture that this program has not drawn
  EXPECT_TRUE(exists(file("out/results.h5")));
  write_file(file("out/report.html"), "old");
  ASSERT_EQ(run({"sweep", "a.yaml", "--force", "--set", "sweep.problem.lattice.u=[1, 2]"}).code, 0);
  EXPECT_FALSE(exists(file("out/report.html")));
}

}  // namespace
}  // namespace cisolve::test
