#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "io/results/checkpoint.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Jobs that are killed, interrupted, out of disk, and then go on.
namespace cisolve::test {
namespace {

using base::Index;
using nlohmann::json;

class ResumeTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    take(unless_sanitized(kLong, kShort));
  }

  struct LongJob {
    const char* job;
    std::array<double, 4> energies;
  };
  // Jobs that save their state in each iteration; the first takes about a second, the second less.
  static constexpr LongJob kLong{
      "problem: {lattice: {columns: 8}}\n"
      "solver: {states: 4, method: davidson}\n"
      "backend: reference\n"
      "output: {checkpoint: 0 s}\n",
      {-4.235806999130, -3.916494198372, -3.540179233592, -3.421295198439}};
  static constexpr LongJob kShort{
      "problem: {lattice: {columns: 6}}\n"
      "solver: {states: 4, method: davidson, model_size: 40}\n"
      "backend: reference\n"
      "output: {checkpoint: 0 s}\n",
      {-3.092565319505, -2.691496019237, -2.235440674901, -2.068553529939}};

  void take(const LongJob& chain) {
    chain_ = chain;
    write_file(file("a.yaml"), chain_.job);
  }

  std::vector<double> energies() const {
    std::vector<double> found;
    const json found_states = record()["states"];
    for (const json& state : found_states) found.push_back(state["energy"]);
    return found;
  }

  void expect_right_energies() const {
    const std::vector<double> found = energies();
    ASSERT_EQ(found.size(), 4u);
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(found[j], chain_.energies[j], 1e-10);
  }

  // It resumes at the iterations, products and energies of the first part, and takes less than a
  // new run.
  static void expect_to_go_on(const json& before, const json& after, const json& anew) {
    const auto number = [](const json& record, const char* name) {
      return record["solver"][name].get<int>();
    };
    const json& end = before["history"];
    const json& begin = after["history"];
    EXPECT_EQ(begin["iteration"].front(), end["iteration"].back());
    EXPECT_EQ(begin["iteration"].front().get<int>(), number(before, "iterations"));
    EXPECT_GT(begin["products"].front().get<int>(), number(before, "products"));
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(begin["energies"].front()[j], end["energies"].back()[j], 1e-10) << j;
    EXPECT_LT(number(after, "products") - number(before, "products"), number(anew, "products"));
    EXPECT_LT(number(after, "iterations") - number(before, "iterations"),
              number(anew, "iterations"));
  }

  bool has_checkpoint() const {
    return exists(file("out/checkpoint-a.h5")) || exists(file("out/checkpoint-b.h5"));
  }

  // Starts the job and ends it by a signal once both slots are written; repeats if it was faster
  // than the signal.
  Finished interrupted(int signal) const {
    Finished part;
    for (int attempt = 0; attempt < 5; ++attempt) {
      std::filesystem::remove_all(file("out"));
      part = run({"a.yaml"}, "", {signal, {}, file("out/checkpoint-b.h5")});
      if (exists(file("out/checkpoint-b.h5"))) return part;
    }
    ADD_FAILURE() << "the job ended without a second slot: " << part.err;
    return part;
  }

  // 0 if there is none.
  Index sequence(const char* slot) const {
    const auto path = file("out") / slot;
    if (!exists(path)) return 0;
    return io::read_checkpoint(path, base::Backend::reference()).sequence;
  }

  json record() const { return json::parse(read_file(file("out/run.json"))); }

  static std::chrono::duration<double> seconds(double count) {
    return std::chrono::duration<double>(count);
  }

  // Sends signals at random moments until the job ends by itself: later ones in the end, since the
  // last part is not saved and may take as long as the whole on a busy machine.
  int end_in_spite_of(int signal, double whole, std::mt19937& random) const {
    std::uniform_real_distribution<double> moment(0, whole);
    int signals = 0;
    std::vector<std::string> arguments{"a.yaml", "--force"};
    while (signals < 200) {
      const int patience = 1 + signals / 10;
      const Finished part = run(arguments, "", {signal, seconds(moment(random) * patience)});
      if (part.code == 0) return signals;
      ++signals;
      const bool is_silent = part.err.empty() || part.err == "\nci-solve: interrupted\n";
      if (part.code != -signal || !is_silent) {  // otherwise it had not started
        EXPECT_EQ(part.code, signal == SIGKILL ? -SIGKILL : 75) << part.err;
      }
      if (exists(file("out/run.json")))
        expect_right_energies();  // its record is complete: the job was finishing
      if (exists(file("out/unfinished-job.yaml"))) arguments = {"resume", "out"};
    }
    return signals;
  }

 private:
  LongJob chain_ = kLong;
};

int rounds() {
  const char* wanted = std::getenv("CISOLVE_TEST_KILLS");
  return wanted == nullptr ? unless_sanitized(10, 4) : std::atoi(wanted);
}

TEST_F(ResumeTest, KillsAndInterruptsAtAnyTimeChangeNoResult) {
  take(kShort);  // many runs, each of which may be cut short elsewhere
  const Finished whole = run({"a.yaml"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  expect_right_energies();
  EXPECT_FALSE(has_checkpoint());
  std::mt19937 random(1);
  for (const int signal : {SIGKILL, SIGTERM})
    for (int count = 0; count < rounds();) {
      std::filesystem::remove_all(file("out"));
      count += end_in_spite_of(signal, whole.seconds, random);
      ASSERT_FALSE(HasFailure());
      expect_right_energies();
      EXPECT_FALSE(has_checkpoint());
      EXPECT_EQ(run({"resume", "out"}).code, 0);  // the job has ended; nothing is left to do
    }
}

TEST_F(ResumeTest, AnInterruptSavesAndNamesTheCommandToResume) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Finished part = interrupted(signal);
    EXPECT_EQ(part.code, 75);
    EXPECT_FALSE(exists(file("out/run.json")));  // nothing was found yet
    EXPECT_NE(part.out.find("ci-solve resume out"), std::string::npos) << part.out;
    const Finished rest = run({"resume", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("resumed after iteration"), std::string::npos) << rest.err;
    expect_right_energies();
  }
}

TEST_F(ResumeTest, ACheckpointIsNotOverwrittenByAccident) {
  interrupted(SIGTERM);
  const Finished again = run({"a.yaml"});
  EXPECT_EQ(again.code, 73);
  EXPECT_NE(again.err.find("ci-solve resume out"), std::string::npos) << again.err;
  EXPECT_EQ(run({"a.yaml", "--set", "output.checkpoint=off"}).code, 73);
  EXPECT_TRUE(has_checkpoint());
  EXPECT_EQ(run({"a.yaml", "--force"}).code, 0);
}

TEST_F(ResumeTest, OneJobAtATimeUsesAFolder) {
  interrupted(SIGTERM);
  const std::string kept = read_file(file("out/unfinished-job.yaml"));
  {
    const RunningJob other(file("out"));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"a.yaml"}, {"a.yaml", "--force"}, {"resume", "out"}}) {
      const Finished refused = run(command);
      EXPECT_EQ(refused.code, 73);
      EXPECT_NE(refused.err.find("another job is running in this folder; wait"), std::string::npos)
          << refused.err;
    }
  }
  EXPECT_TRUE(has_checkpoint());
  EXPECT_EQ(read_file(file("out/unfinished-job.yaml")), kept);
  EXPECT_EQ(run({"resume", "out"}).code, 0);
  expect_right_energies();
}

TEST_F(ResumeTest, PartialFilesOfAKilledJobAreRemovedByTheNext) {
  std::filesystem::create_directories(file("out"));
  for (const char* name : {"unfinished-job.yaml", "run.json", "results.h5", "checkpoint-a.h5"})
    write_file(file("out") / (std::string(".") + name + ".9999999-0.partial"), "half");
  EXPECT_EQ(run({"a.yaml"}).code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(file("out")))
    EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
}

TEST_F(ResumeTest, AnotherInputIs65WithTheDifferences) {
  interrupted(SIGTERM);
  const Finished other = run({"resume", "out", "--set", "problem.lattice.u=5"});
  EXPECT_EQ(other.code, 65);
  EXPECT_NE(other.err.find("problem.lattice.u was 4 and is 5"), std::string::npos) << other.err;
  EXPECT_EQ(run({"resume", "out"}).code, 0);  // the refusal changed nothing
  expect_right_energies();
}

// A file is identified by its content, not its name; a molecule also by its space.
TEST_F(ResumeTest, AFileOrASpaceThatChangedIs65) {
  const std::string water = read_file(std::string(CISOLVE_DATA) + "/h2o_sto3g.fcidump");
  write_file(file("w.fcidump"), water);
  write_file(
      file("a.yaml"),
      "problem: {fcidump: w.fcidump}\nspace: {kind: cisd}\nbackend: reference\n"
      "solver: {method: davidson, model_size: 10, max_iterations: 2}\noutput: {checkpoint: 0 s}\n");
  ASSERT_EQ(run({"a.yaml"}).code, 3);
  const auto refused = [&](const std::string& change, const std::string& difference) {
    const Finished other = run({"resume", "out", "--set", change});
    EXPECT_EQ(other.code, 65) << change << other.err;
    EXPECT_NE(other.err.find(difference), std::string::npos) << other.err;
  };
  refused("space.frozen=1", "space.frozen was 0 and is 1");
  refused("space.kind=fci", "space.kind was cisd and is fci");
  write_file(file("w.fcidump"), water + "\n");
  refused("solver.max_iterations=50", "problem.fcidump was sha256 ");
  write_file(file("w.fcidump"), water);
  EXPECT_EQ(run({"resume", "out", "--set", "solver.max_iterations=50"}).code, 0);
}

TEST_F(ResumeTest, StorageAndSolverMayChange) {
  interrupted(SIGKILL);
  const Finished rest = run({"resume", "out", "--set", "storage.format=csr", "--set",
                             "solver.tolerance=1e-9", "--set", "output.checkpoint=off"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  expect_right_energies();
}

TEST_F(ResumeTest, ADamagedCheckpointIsReplacedByTheOlderOne) {
  for (const bool both : {false, true}) {
    interrupted(SIGTERM);
    const bool a_is_newer = sequence("checkpoint-a.h5") > sequence("checkpoint-b.h5");
    for (const char* slot : {"checkpoint-a.h5", "checkpoint-b.h5"}) {
      if (!both && (slot[11] == 'a') != a_is_newer) continue;
      std::string bytes = read_file(file("out") / slot);
      bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
      write_file(file("out") / slot, bytes);
    }
    const Finished rest = run({"resume", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("this checkpoint is ignored"), std::string::npos) << rest.err;
    EXPECT_EQ(rest.err.find("resumed after iteration") == std::string::npos, both) << rest.err;
    expect_right_energies();
  }
}

TEST_F(ResumeTest, AFullDiskIsAWarningAndTheOldCheckpointStays) {
  interrupted(SIGTERM);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{unless_sanitized(64U, 16U) << 10, RLIM_INFINITY};  // less than a checkpoint
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string a = read_file(file("out/checkpoint-a.h5"));
  const Finished full = run({"resume", "out", "--set", "solver.max_iterations=4"});
  setrlimit(RLIMIT_FSIZE, &before);
  const std::size_t warning = full.err.find("no checkpoint in iteration");
  EXPECT_NE(warning, std::string::npos) << full.err;
  EXPECT_EQ(full.err.find("no checkpoint in iteration", warning + 1), std::string::npos)
      << full.err;
  if (full.code != 0) {
    EXPECT_EQ(full.code, 73) << full.err;  // the results do not fit either
    EXPECT_EQ(read_file(file("out/checkpoint-a.h5")), a);
    EXPECT_EQ(run({"resume", "out", "--set", "solver.max_iterations=200"}).code, 0);
  }
  expect_right_energies();
}

TEST_F(ResumeTest, TheCommandToResumeCanBePastedIntoAShell) {
  const std::vector<std::string> job{"a.yaml", "--set", "output.directory=my out"};
  std::vector<std::string> limited = job;
  limited.insert(limited.end(), {"--set", "solver.max_iterations=2"});
  const Finished part = run(limited);
  ASSERT_EQ(part.code, 3) << part.err;
  EXPECT_NE(part.out.find("ci-solve resume 'my out' --set solver.max_iterations=N"),
            std::string::npos)
      << part.out;
  EXPECT_EQ(run({"resume", "my out", "--set", "solver.max_iterations=300"}).code, 0);
}

// Whatever the interval of checkpoints.
TEST_F(ResumeTest, AJobThatReachedItsLimitContinuesAtLessThanTheFullCost) {
  const std::vector<std::string> job{"a.yaml", "--set", "output.checkpoint=10 min"};
  ASSERT_EQ(run(job).code, 0);
  const json anew = record();
  for (const int limit : {2, 12}) {
    std::vector<std::string> limited = job;
    limited.insert(limited.end(),
                   {"--force", "--set", "solver.max_iterations=" + std::to_string(limit)});
    const Finished part = run(limited);
    ASSERT_EQ(part.code, 3) << part.err;
    EXPECT_NE(part.out.find("ci-solve resume out --set solver.max_iterations=N"), std::string::npos)
        << part.out;
    EXPECT_TRUE(has_checkpoint());
    const json before = record();
    const Finished rest = run({"resume", "out", "--set", "solver.max_iterations=300"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(rest.err.find("resumed after iteration " + std::to_string(limit)), std::string::npos)
        << rest.err;
    expect_to_go_on(before, record(), anew);
    expect_right_energies();
    EXPECT_FALSE(has_checkpoint());
  }
}

// The job resumes from the same checkpoint although it has saved nothing new.
TEST_F(ResumeTest, AJobWhoseRecordCannotBeWrittenStaysUnfinished) {
  interrupted(SIGTERM);
  std::filesystem::create_directory(file("out/run.json"));
  const Finished refused = run({"resume", "out", "--set", "output.checkpoint=10 min"});
  EXPECT_EQ(refused.code, 73) << refused.err;
  EXPECT_NE(refused.err.find("run.json: cannot be written"), std::string::npos) << refused.err;
  std::filesystem::remove(file("out/run.json"));
  const Finished rest = run({"resume", "out"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("resumed after iteration"), std::string::npos) << rest.err;
  expect_right_energies();
}

TEST_F(ResumeTest, AFolderWithoutAJobIs66) {
  EXPECT_EQ(run({"resume", "nowhere"}).code, 66);
  EXPECT_EQ(run({"resume"}).code, 2);
}

}  // namespace
}  // namespace cisolve::test
