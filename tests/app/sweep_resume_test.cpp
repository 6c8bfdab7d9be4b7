#include <nlohmann/json.hpp>
#include <random>

#include "program.hpp"

// Sweeps that are killed or interrupted, and then go on.
namespace cisolve::test {
namespace {

using nlohmann::json;

class SweepResumeTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_file(file("a.yaml"), kSweep);
  }

  // Two matrices with four points each, all of which are solved.
  static constexpr const char* kSweep =
      "problem: {lattice: {columns: 5}}\n"
      "solver: {states: 2}\n"
      "backend: reference\n"
      "sweep:\n"
      "  problem.lattice.u: [{value: 2, label: weak}, 4]\n"
      "  storage.format: [csr, hybrid]\n"
      "  solver.method: [davidson, lanczos]\n"
      "  repeat: 3\n";

  std::filesystem::path kept(int point) const {
    return file("out/sweep-points/point-" + std::to_string(point));
  }

  json found() const { return json::parse(read_file(file("out/sweep.json"))); }

  // Ends a sweep once it has saved this point; repeats if it was faster than the signal.
  Finished interrupted(int signal, int point) const {
    Finished part;
    for (int attempt = 0; attempt < 5; ++attempt) {
      std::filesystem::remove_all(file("out"));
      part = run({"sweep", "a.yaml"}, "", {signal, {}, kept(point)});
      if (!exists(file("out/sweep.json"))) return part;
    }
    ADD_FAILURE() << "the sweep ended before the signal: " << part.err;
    return part;
  }

  static std::vector<int> from_earlier_run(const json& record) {
    std::vector<int> numbers;
    for (const json& point : record["points"])
      if (point["earlier_run"].get<bool>()) numbers.push_back(point["number"]);
    return numbers;
  }

  static void expect_same_findings(const json& record, const json& whole) {
    ASSERT_EQ(record["points"].size(), whole["points"].size());
    EXPECT_EQ(record["matrices"], whole["matrices"]);
    EXPECT_EQ(record["sweep"], whole["sweep"]);
    for (std::size_t i = 0; i < whole["points"].size(); ++i) {
      const json& mine = record["points"][i];
      const json& other = whole["points"][i];
      for (const char* name : {"number", "values", "passed", "reason", "operator", "backend",
                               "verification", "energies", "solved"})
        EXPECT_EQ(mine[name], other[name]) << name << " of point " << i + 1;
      EXPECT_EQ(mine["product"]["repeat"], other["product"]["repeat"]);
    }
  }

  json whole() const {
    const Finished alone = run({"sweep", "a.yaml", "--set", "output.directory=whole"});
    EXPECT_EQ(alone.code, 0) << alone.err;
    const json record = json::parse(read_file(file("whole/sweep.json")));
    EXPECT_TRUE(from_earlier_run(record).empty());
    EXPECT_FALSE(exists(file("whole/sweep-points")));
    return record;
  }
};

TEST_F(SweepResumeTest, MeasuredPointsAreKeptAndTheOthersMeasured) {
  const json expected = whole();
  for (const int signal : {SIGKILL, SIGTERM})
    for (const bool by_folder : {false, true}) {
      const Finished part = interrupted(signal, 3);
      ASSERT_EQ(part.code, signal == SIGKILL ? -SIGKILL : 75) << part.err;
      const json third = json::parse(read_file(kept(3)).substr(65));
      const Finished rest = by_folder ? run({"resume", "out"}) : run({"sweep", "a.yaml"});
      ASSERT_EQ(rest.code, 0) << rest.err;
      EXPECT_NE(rest.out.find("measured before the sweep was interrupted: 1"), std::string::npos)
          << rest.out;
      const json record = found();
      expect_same_findings(record, expected);
      const std::vector<int> earlier = from_earlier_run(record);
      EXPECT_GE(earlier.size(), 3u);
      EXPECT_LT(earlier.size(), 8u);
      std::vector<double> seconds = third["seconds"];
      std::sort(seconds.begin(), seconds.end());
      EXPECT_EQ(record["points"][2]["product"]["fastest_s"], seconds.front());
      EXPECT_FALSE(exists(file("out/sweep-points")));
    }
}

TEST_F(SweepResumeTest, SignalsAtAnyTimeChangeNoResult) {
  const json expected = whole();
  std::mt19937 random(3);
  for (const int signal : {SIGKILL, SIGTERM}) {
    std::filesystem::remove_all(file("out"));
    std::uniform_int_distribution<int> moment(0, 60);
    std::vector<std::string> next{"sweep", "a.yaml"};
    Finished part;
    for (int count = 0; count < 8; ++count) {
      part = run(next, "", {signal, std::chrono::milliseconds(moment(random))});
      if (part.code == 0) break;
      // A sweep that is killed after its record was written is finished: resume finds nothing to
      // do.
      if (exists(file("out/sweep-points/identity.txt")) || exists(file("out/sweep.json")))
        next = {"resume", "out"};
    }
    if (part.code != 0) part = run(next);
    ASSERT_EQ(part.code, 0) << part.err;
    expect_same_findings(found(), expected);
    EXPECT_EQ(run({"resume", "out"}).code, 0);  // the sweep has ended; nothing is left to do
  }
}

TEST_F(SweepResumeTest, OneSweepAtATimeUsesAFolder) {
  interrupted(SIGKILL, 2);
  write_file(file("out/.sweep.csv.9999999-0.partial"), "half");
  {
    const RunningJob other(file("out"));
    EXPECT_EQ(run({"sweep", "a.yaml", "--force"}).code, 73);
    EXPECT_EQ(run({"resume", "out"}).code, 73);
  }
  EXPECT_TRUE(exists(kept(2)));
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  EXPECT_FALSE(exists(file("out/.sweep.csv.9999999-0.partial")));
}

TEST_F(SweepResumeTest, AnotherInputIs65WithTheDifferences) {
  interrupted(SIGKILL, 1);
  const auto refused = [&](const std::string& change, const std::string& difference) {
    const Finished other = run({"sweep", "a.yaml", "--set", change});
    EXPECT_EQ(other.code, 65) << change;
    EXPECT_NE(other.err.find(difference), std::string::npos) << other.err;
    EXPECT_NE(other.err.find("ci-solve resume out"), std::string::npos) << other.err;
    EXPECT_NE(other.err.find("--force"), std::string::npos) << other.err;
  };
  refused("solver.tolerance=1e-7", "solver.tolerance was 1e-08 and is 1e-07");
  refused("sweep.repeat=4", "sweep.repeat was 3 and is 4");
  refused("sweep.storage.format=[csr, csb]", "sweep.storage.format[2] was hybrid and is csb");
  refused("sweep.storage.format=[csr]", "sweep.storage.format[2] was hybrid and is not given");
  refused("sweep.solver.seed=[1, 2]", "sweep.solver.seed[1] is 1 and was not given");
  refused("problem.generate.rows=50", "problem.lattice.columns was 5 and is not given");
  EXPECT_EQ(run({"sweep", "a.yaml"}).code, 0);  // the refusals changed nothing
  EXPECT_FALSE(from_earlier_run(found()).empty());
}

TEST_F(SweepResumeTest, AFileThatChangedIs65) {
  const std::string matrix = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 ";
  write_file(file("m.mtx"), matrix + "3\n");
  write_file(file("n.mtx"), matrix + "4\n");
  write_file(file("a.yaml"),
             "solver: {states: 1}\n"
             "sweep: {problem.matrix: [m.mtx, n.mtx], solver.seed: {from: 1, to: 20, step: 1}}\n");
  interrupted(SIGKILL, 1);
  write_file(file("n.mtx"), matrix + "5\n");
  for (const char* command : {"sweep", "resume"}) {
    const Finished other = run({command, command[0] == 's' ? "a.yaml" : "out"});
    EXPECT_EQ(other.code, 65) << other.err;
    EXPECT_NE(other.err.find("sweep.problem.matrix[2] was sha256 "), std::string::npos)
        << other.err;
  }
  write_file(file("n.mtx"), matrix + "4\n");
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  EXPECT_EQ(found()["points"].size(), 40u);
  EXPECT_EQ(found()["points"][0]["values"]["problem.matrix"], "m.mtx");
}

// Points survive if the table cannot be written.
TEST_F(SweepResumeTest, AJobWhoseRecordCannotBeWrittenStaysUnfinished) {
  interrupted(SIGKILL, 1);
  std::filesystem::create_directory(file("out/sweep.json"));
  EXPECT_EQ(run({"resume", "out"}).code, 73);  // refused at once
  std::filesystem::remove(file("out/sweep.json"));
  std::filesystem::create_symlink("/dev/full", file("out/sweep.json"));
  EXPECT_EQ(run({"resume", "out"}).code, 73);  // refused at once: links are not followed
  std::filesystem::remove(file("out/sweep.json"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{6 << 10, RLIM_INFINITY};  // enough for a point, too little for the record
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Finished refused = run({"resume", "out"});  // refused after the last point
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(refused.code, 73) << refused.err;
  EXPECT_NE(refused.err.find("sweep.json: cannot be written"), std::string::npos) << refused.err;
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  EXPECT_EQ(from_earlier_run(found()).size(), 8u);
}

TEST_F(SweepResumeTest, ForceBeginsAnew) {
  interrupted(SIGKILL, 1);
  const Finished anew = run({"sweep", "a.yaml", "--force", "--set", "solver.tolerance=1e-7"});
  EXPECT_EQ(anew.code, 0) << anew.err;
  EXPECT_TRUE(from_earlier_run(found()).empty());
}

// Points of the first matrix are solved before those of the second are measured.
TEST_F(SweepResumeTest, APointThatWasSolvedKeepsItsEnergies) {
  const json expected = whole();
  interrupted(SIGKILL, 5);
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  expect_same_findings(found(), expected);
  EXPECT_EQ(found()["points"][0]["earlier_run"], true);
}

TEST_F(SweepResumeTest, ADamagedPointIsMeasuredAgain) {
  const json expected = whole();
  interrupted(SIGKILL, 2);
  std::string bytes = read_file(kept(1));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(kept(1), bytes);
  write_file(kept(2), "");
  const Finished rest = run({"resume", "out"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("point-1: the file is damaged"), std::string::npos) << rest.err;
  EXPECT_NE(rest.err.find("point-2"), std::string::npos) << rest.err;
  EXPECT_NE(rest.err.find("this point is measured again"), std::string::npos) << rest.err;
  expect_same_findings(found(), expected);
  EXPECT_EQ(found()["points"][0]["earlier_run"], false);
}

// A point that did not converge is final; one that lacked memory is repeated.
TEST_F(SweepResumeTest, FailuresOfAPointAreKeptButNotFailuresOfItsEnvironment) {
  write_file(file("a.yaml"),
             "problem: {lattice: {columns: 5}}\n"
             "solver: {states: 2, method: davidson, model_size: 10}\n"
             "backend: reference\n"
             "sweep:\n"
             "  problem.lattice.u: [2, 4]\n"
             "  memory: [1 GiB, 2 KiB]\n"
             "  solver.max_iterations: [2, {value: 200, label: many}]\n"
             "  storage.format: [csr, hybrid]\n"
             "  repeat: 2\n");
  // Interrupted in the second matrix; the first is done.
  const Finished part = interrupted(SIGKILL, 9);
  ASSERT_EQ(part.code, -SIGKILL) << part.err;
  EXPECT_FALSE(exists(kept(5)));
  const Finished rest = run({"resume", "out"});
  const json points = found()["points"];
  EXPECT_EQ(rest.code, 3) << rest.err;
  EXPECT_EQ(points[0]["passed"], false);
  EXPECT_EQ(points[0]["reason"], "not converged after 2 iterations");
  EXPECT_EQ(points[0]["earlier_run"], true);
  EXPECT_EQ(points[0]["solved"], false);
  EXPECT_EQ(points[2]["passed"], true);
  EXPECT_EQ(points[2]["solved"], true);
  EXPECT_EQ(points[2]["earlier_run"], true);
  EXPECT_NE(points[4]["reason"].get<std::string>().find("budget"), std::string::npos);
  EXPECT_EQ(points[4]["earlier_run"], false);
}

}  // namespace
}  // namespace cisolve::test
