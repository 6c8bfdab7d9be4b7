#include "app/report/exit_code.hpp"

#include <gtest/gtest.h>

#include "base/device.hpp"
#include "base/openmp/threads.hpp"
#include "hostile.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::test {
namespace {

using app::exit_code;
using base::ErrorKind;

TEST(ExitCode, IsAsDocumented) {
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::usage)), 2);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::bad_input)), 65);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::no_input)), 66);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::backend)), 69);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::internal)), 70);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::resources)), 71);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::cannot_write)), 73);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::configuration)), 78);
}

class ExitCodeTest : public ProgramTest {
 protected:
  void expect(int code, const std::string& message, const std::vector<std::string>& arguments) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, code) << finished.err;
    EXPECT_NE(finished.err.find(message), std::string::npos) << finished.err;
    EXPECT_EQ(finished.out, "");
  }
};

TEST_F(ExitCodeTest, SuccessIsZero) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"--version"}).out, "ci-solve 0.1.0\n");
}

TEST_F(ExitCodeTest, UsageIsTwoWithASuggestion) {
  expect(2, "no job is given", {});
  expect(2, "unknown command 'chek'; did you mean 'check'?", {"chek"});
  expect(2, "unknown command 'chek'; did you mean 'check'?", {"chek", "a.yaml"});
  expect(2, "unknown command 'inof'; did you mean 'info'?", {"matrix", "inof", "a.mtx"});
  expect(2, "unknown option '--frce'; did you mean '--force'?", {"check", "a.yaml", "--frce"});
  expect(2, "unknown option '--bondary'; did you mean '--boundary'?",
         {"matrix", "apply", "a.mtx", "--bondary=3"});
  expect(2, "'ci-solve matrix --help'", {"matrix"});
  expect(2, "expected KEY=VALUE", {"check", "a.yaml", "--set", "threads"});
  expect(2, "did you mean 'hybrid'?", {"matrix", "product", "a.mtx", "--formats", "hybird"});
  expect(2, "unknown backend 'gpu'",
         {"matrix", "product", configuration("quickstart.yaml"), "--backends", "gpu"});
  expect(2, ".mtx", {"matrix", "generate", "a.png", "--rows", "10"});
}

TEST_F(ExitCodeTest, AGeometryFileIs78AndTheMessageNamesAProgramForIntegrals) {
  write_file(file("water.xyz"), "3\n\nO 0 0 0\nH 0 0 1\nH 0 1 0\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"water.xyz"}, {"check", "water.xyz"}, {"init", "water.xyz"}})
    expect(78,
           "water.xyz is a molecular geometry; expected a configuration, or integrals, which "
           "'scripts/fcidump-of-molecule.py water.xyz -o molecule.fcidump' computes with PySCF",
           arguments);
}

/// Form that other programs write.
TEST_F(ExitCodeTest, TheWordSolveIsOptional) {
  EXPECT_EQ(run({"solve", configuration("quickstart.yaml")}).code, 0);
  expect(66, "cannot open the configuration none.yaml", {"solve", "none.yaml"});
}

TEST_F(ExitCodeTest, BadInputIs65WithFileAndLine) {
  write_file(file("bad.mtx"), "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n");
  expect(65, "bad.mtx:3: ", {"matrix", "info", "bad.mtx"});
  write_file(file("a.png"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.0\n");
  expect(65, "expected .mtx", {"matrix", "info", "a.png"});
  write_file(file("x.txt"), "1\n2\n3\nfour\n5\n6\n");
  expect(65, "x.txt:4: ", {"matrix", "apply", configuration("matrix-file.yaml"), "--x", "x.txt"});
  write_file(file("x.txt"), "1\n2\n3\n");
  expect(65, "the matrix has 6 columns",
         {"matrix", "apply", configuration("matrix-file.yaml"), "--x", "x.txt"});
}

TEST_F(ExitCodeTest, NoInputIs66) {
  expect(66, "no-such.yaml", {"no-such.yaml"});
  expect(66, "no-such.mtx", {"matrix", "info", "no-such.mtx"});
  expect(66, "no-such.png", {"matrix", "info", "no-such.png"});
}

TEST_F(ExitCodeTest, AMissingBackendIs69) {
  std::string reason;
  if (base::cuda::device_count(reason) > 0) GTEST_SKIP() << "there is a CUDA device";
  expect(69, "cuda", {configuration("quickstart.yaml"), "--set", "backend=cuda:1"});
  expect(69, "cuda", {configuration("quickstart.yaml"), "--set", "backend=cuda"});
}

TEST_F(ExitCodeTest, MoreThreadsThanProcessorsAre78WithTheBound) {
  const int most = base::most_threads();
  const std::string expected = "threads is " + std::to_string(most + 1) +
                               "; expected auto, or at most " + std::to_string(most) +
                               " on this machine of ";
  for (const char* backend : {"backend=openmp", "backend=auto"})
    expect(78, expected,
           {configuration("quickstart.yaml"), "--set", backend, "--set",
            "threads=" + std::to_string(most + 1)});
}

TEST_F(ExitCodeTest, TooLittleMemoryIs71AndNamesTheRequest) {
  const Finished finished = run({configuration("quickstart.yaml"), "--set", "memory=1 MiB"});
  EXPECT_EQ(finished.code, 71);
  EXPECT_NE(finished.err.find("of the memory budget of 1 MiB"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(file("out/quickstart/run.json")));
}

TEST_F(ExitCodeTest, AJobThatCannotFitIs71AtOnceAndACheckPredictsIt) {
  write_file(file("a.yaml"), "problem: {lattice: {columns: 24}}\nbackend: openmp\nmemory: 8 GiB\n");
  const Finished refused = run({"a.yaml"});
  EXPECT_EQ(refused.code, 71);
  const Finished checked = run({"check", "a.yaml", "--json", "found.json"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_NE(read_file(file("found.json")).find("\"fits\": false"), std::string::npos);
  for (const std::string& said : {refused.err, checked.out}) {
    EXPECT_NE(said.find("7,312,459,672,336"), std::string::npos) << said;
    EXPECT_NE(said.find("266 TiB"), std::string::npos) << said;
    EXPECT_NE(said.find("even the vectors do not fit, so no format helps"), std::string::npos)
        << said;
  }
  for (const Finished& finished : {refused, checked}) {
    EXPECT_LT(finished.cpu_seconds, 2.0);
    EXPECT_LT(finished.peak_kib, unless_sanitized(200, 800) * 1024);
  }
  EXPECT_FALSE(std::filesystem::exists(file("out/run.json")));
}

// 11.8 million rows, none stored by any plan that fits; counting them would take a minute.
TEST_F(ExitCodeTest, ACheckCountsNoRowsIfNoneCanBeStored) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 14, u: 4}}\nbackend: openmp\nmemory: 600 MB\n");
  const Finished checked = run({"check", "a.yaml"});
  ASSERT_EQ(checked.code, 0) << checked.err;
  EXPECT_LT(checked.cpu_seconds, unless_sanitized(4.0, 40.0));
  EXPECT_NE(checked.out.find("estimated since the first plan stores none"), std::string::npos);
  EXPECT_NE(checked.out.find("a job falls back to factorised"), std::string::npos) << checked.out;
}

// Memory may run out while the matrix is read or while its rows are counted.
TEST_F(ExitCodeTest, ACheckThatLacksMemoryItselfReportsThatTheJobDoesNotFit) {
  ASSERT_EQ(run({"matrix", "generate", "a.mtx", "--rows", "3000", "--symmetric"}).code, 0);
  for (const std::string memory : {"1 MiB", "3 MiB", "6 MiB"}) {
    write_file(file("a.yaml"),
               "problem: {matrix: a.mtx}\nbackend: openmp\nmemory: " + memory + "\n");
    const Finished checked = run({"check", "a.yaml", "--json", "found.json", "--force"});
    EXPECT_EQ(checked.code, 0) << checked.err;
    // In 6 MiB the rows are counted, a few at a time, and the matrix is known not to fit.
    const char* const verdict = memory == "6 MiB" ? "DOES NOT FIT; no format fits"
                                                  : "DOES NOT FIT; not enough host memory: ";
    EXPECT_NE(checked.out.find(verdict), std::string::npos) << checked.out;
    EXPECT_NE(read_file(file("found.json")).find("\"fits\": false"), std::string::npos);
    EXPECT_EQ(run({"a.yaml"}).code, 71);
  }
}

// Plans use the memory left after strings, integrals and tables, in a check as in a job.
TEST_F(ExitCodeTest, ACheckCountsTheMemoryOfTheProblemItself) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 10}}\nbackend: openmp\nmemory: 64 MiB\n");
  const Finished checked = run({"check", "a.yaml", "--json", "found.json"});
  ASSERT_EQ(checked.code, 0) << checked.err;
  const std::string found = read_file(file("found.json"));
  EXPECT_NE(found.find("\"limit_bytes\": 6"), std::string::npos) << found;
  EXPECT_EQ(found.find("\"limit_bytes\": 67108864"), std::string::npos) << found;
}

TEST_F(ExitCodeTest, ACheckRefusesTheStatesThatAJobRefuses) {
  const std::string water =
      "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") + "}\n";
  write_file(file("other.txt"), "2222ud0\n");
  for (const char* keys :
       {"space: {spin: 0.3}", "space: {spin: 0.5}",
        "space: {kind: cisd, reference: 2222ud0, spin: 1}",
        "solver: {follow: other.txt, method: lanczos}", "solver: {start_from: none.h5}",
        "space: {kind: cis}\nsolver: {follow: other.txt, follow_state: 2}"}) {
    write_file(file("a.yaml"), water + keys);
    const Finished job = run({"a.yaml", "--force"});
    EXPECT_NE(job.code, 0) << keys;
    const Finished check = run({"check", "a.yaml"});
    EXPECT_EQ(check.code, job.code) << keys;
    EXPECT_EQ(check.err, job.err) << keys;
    EXPECT_EQ(check.out, "") << keys;
  }
}

TEST_F(ExitCodeTest, AnOutputThatExistsIs73UnlessForced) {
  write_file(file("a.mtx"), "mine");
  const std::vector<std::string> arguments{"matrix", "generate", "a.mtx", "--rows", "50"};
  expect(73, "the file exists", arguments);
  EXPECT_EQ(read_file(file("a.mtx")), "mine");
  std::vector<std::string> forced = arguments;
  forced.push_back("--force");
  EXPECT_EQ(run(forced).code, 0);
  expect(73, "a.mtx", {"check", configuration("quickstart.yaml"), "--json", "a.mtx"});
  expect(73, "cannot make the folder",
         {configuration("quickstart.yaml"), "--set", "output.directory=a.mtx/below"});
  expect(73, "no/such/folder", {"matrix", "generate", "no/such/folder/a.mtx"});
  std::filesystem::create_directory(file("folder"));
  expect(73, "folder: cannot be written: Is a directory; write to another folder",
         {configuration("quickstart.yaml"), "--json", "folder", "--force"});
}

TEST_F(ExitCodeTest, AFullDiskIs73) {
  EXPECT_EQ(run({"check", configuration("quickstart.yaml")}, "/dev/full").code, 73);
}

TEST_F(ExitCodeTest, BadConfigurationIs78) {
  write_file(file("a.yaml"), "problem: {generate: {}}\nthread: 2\n");
  expect(78, "a.yaml:2: unknown key 'thread'; did you mean 'threads'?", {"a.yaml"});
  expect(78, "reference_per_row",
         {"check", configuration("quickstart.yaml"), "--set",
          "problem.generate.reference_per_row=4000"});
  expect(78, "--rows", {"matrix", "generate", "b.mtx", "--rows", "many"});
}

TEST_F(ExitCodeTest, HostileConfigurationsEndSoonAndSmall) {
  for (const std::string& text : {std::string(100'000, '['), alias_bomb()}) {
    write_file(file("hostile.yaml"), text);
    const Finished finished = run({"hostile.yaml"});
    EXPECT_EQ(finished.code, 78) << finished.err;
    EXPECT_LT(finished.seconds, 1.0);
    EXPECT_LT(finished.peak_kib, unless_sanitized(100, 300) * 1024);  // shadows count, too
  }
}

}  // namespace
}  // namespace cisolve::test
