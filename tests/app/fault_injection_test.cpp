#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "program.hpp"

// Faults injected into the program (fault_injection_host.cpp) must show in the exit code, the
// messages and the record, for every command.
namespace cisolve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kVerificationFailed = 4;

class FaultInjectionTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    use_program(CISOLVE_FAULT_INJECTION_PROGRAM);
  }
  void TearDown() override {
    unsetenv("CISOLVE_TEST_HINDER");
    ProgramTest::TearDown();
  }

  static void hinder(const std::string& what) { setenv("CISOLVE_TEST_HINDER", what.c_str(), 1); }

  // The replaced functions run on the host.
  void write_job(const std::string& text) const {
    write_file(file("a.yaml"), text + "backend: openmp\n");
  }

  /// Solves a problem with the fault `what` injected; none if empty.
  Finished solve(const std::string& what, const std::string& text) {
    write_job(text);
    hinder(what);
    return run({"a.yaml", "--force"});
  }

  json record(const std::string& name = "out/run.json") const {
    return json::parse(read_file(file(name)));
  }

  void expect_said(const Finished& finished, const std::string& reason = "") const {
    EXPECT_EQ(finished.code, kVerificationFailed) << finished.out << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("VERIFICATION FAILED"));
    EXPECT_THAT(finished.out, HasSubstr(reason));
    EXPECT_THAT(finished.out, Not(HasSubstr("verified")));
    EXPECT_EQ(record()["verification"]["passed"], false);
    EXPECT_NE(record()["verification"]["failures"].dump().find(reason), std::string::npos);
  }

  const std::string molecule_ =
      "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") +
      "}\nspace: {kind: cisd}\nsolver:\n  method: davidson\n  states: 2\n";
  const std::string generated_ =
      "problem: {generate: {rows: 300, symmetric: true}}\nsolver: {states: 2, method: davidson}\n";
  const std::string unfinished_ = molecule_ + "  model_size: 10\n  max_iterations: 3\n";
};

TEST_F(FaultInjectionTest, WithoutAnInjectedFaultNothingFails) {
  for (const std::string& problem : {molecule_, generated_}) {
    const Finished finished = solve("", problem);
    EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("converged and verified"));
    EXPECT_EQ(record()["verification"]["passed"], true);
  }
}

TEST_F(FaultInjectionTest, AWrongElementIsDetectedAnywhere) {
  for (const std::string& problem : {molecule_, generated_})
    for (const std::string what : {"stored:1", "lost:1", "verifier"}) {
      SCOPED_TRACE(what);
      expect_said(solve(what, problem), "has a residual of");
    }
}

TEST_F(FaultInjectionTest, TheSecondReadingOfAMatrixIsStoredAnew) {
  expect_said(solve("stored:2", generated_), "has a residual of");
}

TEST_F(FaultInjectionTest, MixedStatesAreDetected) {
  expect_said(solve("mixed", molecule_), "state 1 has a residual of");
  expect_said(solve("mixed", generated_), "state 1 has a residual of");
}

TEST_F(FaultInjectionTest, UnconvergedStatesAreVerifiedByTheirClaimedResiduals) {
  ASSERT_EQ(solve("", unfinished_).code, 3);
  EXPECT_EQ(record()["verification"]["passed"], true);
  expect_said(solve("verifier", unfinished_), "has a residual of");
}

TEST_F(FaultInjectionTest, DensitiesThatGiveAnotherEnergyFailTheVerification) {
  expect_said(solve("density", molecule_ + "analysis: {densities: two}\n"),
              "its density matrices give");
}

TEST_F(FaultInjectionTest, VerifiedStatesAreKeptIfMemoryToDescribeThemIsLacking) {
  const std::string two = "analysis: {densities: two}\n";
  const Finished fewer = solve("room-of-densities", molecule_ + two);
  EXPECT_EQ(fewer.code, 0) << fewer.err;
  EXPECT_THAT(fewer.out, HasSubstr("fallback one instead of analysis.densities: two"));
  EXPECT_EQ(record()["densities"]["computed"], "one");
  EXPECT_THAT(record()["densities"]["note"], HasSubstr("there is none"));
  EXPECT_FALSE(record()["states"][0]["s2"].is_null());
  const Finished none = solve("room-of-descriptions", molecule_ + two);
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("converged and verified"));
  EXPECT_THAT(none.out, HasSubstr("no description instead of a description of the states"));
  EXPECT_TRUE(record()["states"][0]["s2"].is_null());
  EXPECT_TRUE(std::filesystem::exists(file("out/results.h5")));
}

TEST_F(FaultInjectionTest, AStateOfAnotherSpinIsDetected) {
  const std::string ring = "problem: {lattice: {model: hubbard, columns: 4}}\nspace: {spin: 0}\n";
  ASSERT_EQ(solve("", ring).code, 0);
  expect_said(solve("spin:1", ring), "but a spin of 0 has 0");
}

TEST_F(FaultInjectionTest, AnInterruptedJobThatIsResumedIsVerifiedAsWell) {
  for (const std::string what : {"stored:1", "verifier", "mixed"}) {
    SCOPED_TRACE(what);
    ASSERT_EQ(solve("", unfinished_).code, 3);
    hinder(what);
    expect_said(run({"resume", "out", "--set", "solver.max_iterations=200"}));
  }
}

TEST_F(FaultInjectionTest, AWrongProductIsNotUsedToSolve) {
  const Finished finished = solve("stored:1", generated_ + "product: {repeat: 1}\n");
  EXPECT_EQ(finished.code, kVerificationFailed);
  EXPECT_THAT(finished.out, HasSubstr("VERIFICATION FAILED: row "));
  EXPECT_THAT(finished.out, Not(HasSubstr("verified")));
  EXPECT_EQ(record()["verification"]["passed"], false);
  EXPECT_FALSE(record().contains("states"));
}

TEST_F(FaultInjectionTest, CommandsThatMultiplyReportAWrongProduct) {
  write_job(generated_);
  hinder("stored:1");
  Finished finished =
      run({"matrix", "product", "a.yaml", "--formats", "csr,hybrid", "--json", "p.json"});
  EXPECT_EQ(finished.code, kVerificationFailed) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("WRONG"));
  EXPECT_THAT(finished.out, HasSubstr("fastest: hybrid"));
  EXPECT_THAT(finished.out, Not(HasSubstr("within the spread")));
  const json products = record("p.json")["products"];
  EXPECT_EQ(products[0]["verification"]["passed"], false);
  EXPECT_EQ(products[1]["verification"]["passed"], true);
  finished = run({"matrix", "apply", "a.yaml", "--json", "a.json"});
  EXPECT_EQ(finished.code, kVerificationFailed) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("VERIFICATION FAILED: row "));
  EXPECT_EQ(record("a.json")["verification"]["passed"], false);
}

TEST_F(FaultInjectionTest, ADiagnosisReportsAWrongElement) {
  write_job(molecule_);
  hinder("element:100");
  const Finished finished = run({"check", "a.yaml", "--diagnose", "--json", "check.json"});
  EXPECT_EQ(finished.code, kVerificationFailed) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("WRONG"));
  EXPECT_THAT(finished.out, Not(HasSubstr("elements: correct")));
  EXPECT_EQ(record("check.json")["diagnostics"]["passed"], false);
}

/// Files written concurrently with the verification fail or are cut short.
class FaultInjectionWriterTest : public FaultInjectionTest {
 protected:
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(file("out")))
      found.insert(entry.path().filename());
    return found;
  }
  std::size_t partial_files() const {
    const auto all = names();
    return std::ranges::count_if(all, [](const auto& name) { return name.ends_with(".partial"); });
  }
  // Saves a checkpoint in each iteration.
  const std::string saved_ = molecule_ + "output: {checkpoint: 0 s, trexio: true}\n";
  const std::set<std::string> unfinished_files_{"checkpoint-a.h5", "checkpoint-b.h5",
                                                "unfinished-job.yaml"};
};

TEST_F(FaultInjectionWriterTest, ThatFailsIsReportedAfterTheStatesAndLeavesNoResult) {
  const Finished full = solve("results:1", saved_);
  EXPECT_EQ(full.code, 73) << full.err;
  EXPECT_THAT(full.out, HasSubstr("converged and verified"));
  EXPECT_THAT(full.err, HasSubstr("results.h5: cannot be written: the disk is full"));
  EXPECT_THAT(full.err, HasSubstr("ci-solve resume out"));
  EXPECT_EQ(names(), unfinished_files_);
  hinder("");
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  EXPECT_EQ(names(), (std::set<std::string>{"results.h5", "run.json", "states.trexio.h5"}));
}

TEST_F(FaultInjectionWriterTest, ThatFailsLeavesEarlierResultsAlone) {
  const Finished full = solve("trexio", saved_);
  EXPECT_EQ(full.code, 73) << full.err;
  EXPECT_THAT(full.err, HasSubstr("states.trexio.h5: cannot be written: the disk is full"));
  std::set<std::string> left = unfinished_files_;
  left.insert("results.h5");
  EXPECT_EQ(names(), left);
}

TEST_F(FaultInjectionWriterTest, FinishesWithStatesThatFailTheirVerification) {
  expect_said(solve("verifier", saved_), "has a residual of");
  std::set<std::string> left = unfinished_files_;
  left.insert({"results.h5", "run.json", "states.trexio.h5"});
  EXPECT_EQ(names(), left);
}

TEST_F(FaultInjectionWriterTest, ThatIsInterruptedLeavesNothing) {
  write_job(saved_);
  hinder("results-held");
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(file("held"));
    const Finished ended = run({"a.yaml", "--force"}, "", {signal, {}, file("held")});
    EXPECT_EQ(ended.code, 75) << ended.err;
    EXPECT_EQ(names(), unfinished_files_);
  }
  hinder("");
  EXPECT_EQ(run({"resume", "out"}).code, 0);
}

/// Solving takes much longer than saving, and no checkpoint is due for ten minutes.
TEST_F(FaultInjectionWriterTest, ThatIsCutShortKeepsTheFoundStates) {
  const std::string unsaved =
      "problem: {generate: {rows: 14000, density: 0.02, symmetric: true}}\n"
      "solver: {states: 6, method: lanczos}\nthreads: 1\n";
  write_job(unsaved);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    hinder("results-held");
    std::filesystem::remove(file("held"));
    const Finished ended = run({"a.yaml", "--force"}, "", {signal, {}, file("held")});
    EXPECT_EQ(ended.code, signal == SIGKILL ? -SIGKILL : 75) << ended.err;
    hinder("");
    const Finished resumed = run({"resume", "out"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("resumed after iteration"));
    EXPECT_THAT(resumed.out, HasSubstr("converged and verified"));
  }
  const Finished full = solve("results:1", unsaved);
  EXPECT_EQ(full.code, 73) << full.err;
  EXPECT_THAT(full.err, HasSubstr("ci-solve resume out"));
  hinder("");
  EXPECT_THAT(run({"resume", "out"}).err, HasSubstr("resumed after iteration"));
}

TEST_F(FaultInjectionWriterTest, ThatIsKilledLeavesWhatTheNextJobRemoves) {
  write_job(saved_);
  hinder("results-held");
  EXPECT_EQ(run({"a.yaml"}, "", {SIGKILL, {}, file("held")}).code, -SIGKILL);
  EXPECT_EQ(partial_files(), 1U);
  hinder("");
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  EXPECT_EQ(partial_files(), 0U);
}

TEST_F(FaultInjectionTest, AMatrixTooLargeForTheDiskIsRefusedBeforeItIsGenerated) {
  hinder("small-disk");
  for (const std::string name : {"a.mtx", "a.h5"}) {
    for (const std::vector<std::string>& rows :
         {std::vector<std::string>{"2147483647"},
          {"500", "--set", "problem.generate.symmetric=true"}}) {
      std::vector<std::string> arguments{"matrix", "generate", name, "--rows"};
      arguments.insert(arguments.end(), rows.begin(), rows.end());
      const Finished refused = run(arguments);
      EXPECT_EQ(refused.code, 73) << refused.err;
      EXPECT_THAT(refused.err, HasSubstr(name + ": the file would take at least "));
      EXPECT_THAT(refused.err, HasSubstr("but 4.69 KiB are free in"));
      EXPECT_LT(refused.cpu_seconds, 2.0);
      EXPECT_FALSE(std::filesystem::exists(file(name)));
    }
    EXPECT_EQ(run({"matrix", "generate", name, "--rows", "8"}).code, 0);
  }
}

/// The disk holds only half of the vectors: the omission is announced once, at the start.
TEST_F(FaultInjectionTest, ASmallDiskKeepsNoVectorsUnlessRequested) {
  const std::string note =
      "): output.vectors: auto saves at most half of the free 4.69 KiB, true saves all\n";
  for (const std::string& problem : {molecule_, generated_}) {
    const Finished left_out = solve("small-disk", problem);
    ASSERT_EQ(left_out.code, 0) << left_out.err;
    const std::size_t note_at = left_out.out.find(note);
    EXPECT_LT(note_at, left_out.out.find("\nmatrix ")) << left_out.out;
    EXPECT_EQ(left_out.out.find(note, note_at + 1), std::string::npos) << left_out.out;
    EXPECT_EQ(record()["output"]["vectors"], false);
    EXPECT_GT(record()["output"]["vectors_bytes"], 2000);
    const std::string recorded = record()["output"]["note"];
    EXPECT_EQ(recorded.substr(recorded.find("): ")) + '\n', note);
    const auto small = file_size(file("out/results.h5"));
    EXPECT_THAT(run({"check", "a.yaml"}).out, HasSubstr(note));
    for (const std::string what : {"", "shrinking-disk", "small-disk"}) {
      const std::string wanted = what == "small-disk" ? "output: {vectors: true}\n" : "";
      const Finished kept = solve(what, problem + wanted);
      ASSERT_EQ(kept.code, 0) << kept.err;
      EXPECT_THAT(kept.out, Not(HasSubstr("left out")));
      EXPECT_EQ(record()["output"]["vectors"], true);
      EXPECT_EQ(record()["output"]["note"], json());
      EXPECT_GT(file_size(file("out/results.h5")), small + 2000);
    }
    ASSERT_EQ(solve("", problem + "output: {vectors: false}\n").code, 0);
    EXPECT_EQ(record()["output"]["vectors"], false);
    EXPECT_EQ(record()["output"]["note"], json());
    EXPECT_LT(file_size(file("out/results.h5")), small + 500);
  }
}

class FaultInjectionSweepTest : public FaultInjectionTest {
 protected:
  /// The record of a sweep with these axes and the fault `what`.
  json sweep(const std::string& what, const std::string& text, const std::string& axes) {
    write_job(text + "sweep: {" + axes + ", repeat: 1}\n");
    hinder(what);
    finished_ = run({"sweep", "a.yaml", "--force"});
    return record("out/sweep.json")["points"];
  }
  void expect_failed(const json& point, const std::string& reason) const {
    EXPECT_EQ(point["passed"], false);
    EXPECT_THAT(point.dump(), HasSubstr(reason));
    EXPECT_EQ(finished_.code, kVerificationFailed) << finished_.out << finished_.err;
    EXPECT_THAT(finished_.out, HasSubstr(reason));
  }

  Finished finished_;
};

TEST_F(FaultInjectionSweepTest, APointWithAWrongProductFailsAndIsNotSolved) {
  const json points = sweep("stored:1", generated_, "storage.format: [csr, hybrid]");
  expect_failed(points[0], "the product is wrong");
  EXPECT_EQ(points[1]["passed"], true);
  EXPECT_FALSE(points[0].contains("energies")) << points[0];
  EXPECT_EQ(points[1]["energies"].size(), 2) << points[1];
}

TEST_F(FaultInjectionSweepTest, APointWhoseStatesAreWrongFails) {
  const json points = sweep("mixed:2", molecule_, "storage.format: [csr, hybrid, sell]");
  EXPECT_EQ(points[0]["passed"], true);
  expect_failed(points[1], "has a residual of");
  EXPECT_EQ(points[1]["solved"], false) << points[1];
  EXPECT_EQ(points[2]["passed"], true);
}

TEST_F(FaultInjectionSweepTest, AMatrixThatIsSolvedIsNotTheOneThatVerifies) {
  expect_failed(sweep("stored:2", molecule_, "storage.format: [csr]")[0], "has a residual of");
}

TEST_F(FaultInjectionSweepTest, AWrongPointCountsForMoreThanAnUnfinishedOne) {
  const json points = sweep("mixed:2", unfinished_, "solver.max_iterations: [3, 200]");
  EXPECT_EQ(points[0]["passed"], false);
  expect_failed(points[1], "has a residual of");
}

// The verifying operator differs from the solved one, and the record names it.
TEST_F(FaultInjectionTest, TheRecordNamesTheOperatorThatVerified) {
  ASSERT_EQ(solve("", molecule_ + "storage: {format: hybrid}\n").code, 0);
  EXPECT_EQ(record()["operator"]["format"], "hybrid");
  EXPECT_EQ(record()["verification"]["by"], "direct");
  ASSERT_EQ(solve("", generated_ + "storage: {format: hybrid}\n").code, 0);
  EXPECT_EQ(record()["verification"]["by"], "csr");
}

}  // namespace
}  // namespace cisolve::test
