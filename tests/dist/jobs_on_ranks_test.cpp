#include "tests/dist/jobs_on_ranks.hpp"

#include <functional>
#include <random>

namespace cisolve::test {
namespace {

TEST_F(JobsOnRanks, GiveTheEnergiesAndFilesOfOneProcess) {
  const std::vector<std::string> stored = {"--set", "storage.elements=precomputed"};
  expect_as_alone({configuration("h2o-cisd.yaml"), stored[0], stored[1]}, 4);
  expect_as_alone({configuration("n2-mrci.yaml"), stored[0], stored[1]}, 3);
  write_file(file("ring.yaml"),
             "problem: {lattice: {model: heisenberg, columns: 12, periodic_columns: true}}\n"
             "storage: {elements: precomputed}\n");
  expect_as_alone({"ring.yaml"}, 2);
}

TEST_F(JobsOnRanks, DistributeComputedElements) {
  const std::string water = configuration("h2o-fci.yaml");
  expect_as_alone({water}, 3);
  EXPECT_EQ(record_in("many")["operator"]["path"], "factorised");
  expect_as_alone({water, "--set", "solver.verification=sample"}, 2);
  expect_as_alone({configuration("n2-mrci.yaml"), "--set", "storage.elements=on-the-fly"}, 4);
  expect_as_alone({configuration("h2o-cisd.yaml"), "--set", "storage.elements=mixed"}, 3);
  expect_as_alone({water, "--set", "space.spin=1"}, 3);
}

TEST_F(JobsOnRanks, ACheckpointOfStringMatricesIsResumedByAnyNumberOfRanks) {
  const std::vector<std::string> job = {configuration("h2o-fci.yaml"), "--set",
                                        "output.directory=out", "--set", "output.checkpoint=0 s"};
  const auto with = [&](const std::string& setting) {
    std::vector<std::string> arguments = job;
    arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  };
  ASSERT_EQ(run_alone(with("output.directory=alone")).code, 0);
  ASSERT_EQ(run_ranks(3, with("solver.max_iterations=3")).code, 3);
  const Finished next = run_ranks(5, {"resume", "out", "--set", "solver.max_iterations=4"});
  ASSERT_EQ(next.code, 3) << next.err;
  EXPECT_THAT(next.err, HasSubstr("resumed after iteration 3"));
  const Finished last = run_ranks(2, {"resume", "out", "--set", "solver.max_iterations=100"});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("resumed after iteration 7"));
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(record_in("out")["states"][j]["energy"].get<double>(),
                record_in("alone")["states"][j]["energy"].get<double>(), 1e-10);
}

// Each rank forks a process that reads HDF5, after MPI has started.
TEST_F(JobsOnRanks, ReadMatricesByForks) {
  ASSERT_EQ(run_alone({"matrix", "convert", configuration("example.mtx"), "a.h5"}).code, 0);
  write_file(file("job.yaml"), "problem: {matrix: a.h5}\n");
  expect_as_alone({"job.yaml"}, 3);
}

TEST_F(JobsOnRanks, ACheckpointIsResumedByAnyNumberOfRanks) {
  const double energy = energy_alone();
  write_job();
  const auto iterations = [](int most) { return "solver.max_iterations=" + std::to_string(most); };
  ASSERT_EQ(run_ranks(3, {"job.yaml", "--set", iterations(3)}).code, 3);
  const Finished next = run_ranks(2, {"resume", "out", "--set", iterations(6)});
  ASSERT_EQ(next.code, 3) << next.err;
  EXPECT_THAT(next.err, HasSubstr("resumed after iteration 3"));
  const Finished last = run_alone({"resume", "out", "--set", iterations(100)});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("resumed after iteration 9"));
  EXPECT_NEAR(record_in("out")["states"][0]["energy"].get<double>(), energy, 1e-10);
}

TEST_F(JobsOnRanks, DifferentInputOnOneRankIsRefusedOnce) {
  write_job();
  std::filesystem::copy(file("job.yaml"), file("other.yaml"));
  const std::string each = script(
      "[ $rank = 1 ] && set -- --set space.kind=cisd\n"
      "exec " CISOLVE_PROGRAM " job.yaml \"$@\"");
  const Finished refused = run_ranks(3, {}, each);
  EXPECT_EQ(refused.code, 65) << refused.err;
  EXPECT_EQ(occurrences(refused.err, "ci-solve: error"), 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("rank 1: its input differs from that of rank 0: space.kind "
                                     "was cisdt and is cisd"));
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(JobsOnRanks, ARankWithoutMemoryEndsAllWithOneMessage) {
  write_job();
  const std::string each = script(
      "[ $rank = 1 ] && set -- --set 'memory=2 MiB'\n"
      "exec " CISOLVE_PROGRAM " job.yaml \"$@\"");
  const Finished ended = run_ranks(3, {}, each);
  EXPECT_EQ(ended.code, 71) << ended.err;
  EXPECT_EQ(occurrences(ended.err, "ci-solve: error"), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("rank 1: "));
  EXPECT_LT(ended.seconds, 10);
}

TEST_F(JobsOnRanks, CommandsForOneProcessRefuseSeveralRanks) {
  const Finished refused = run_ranks(2, {"check", configuration("h2o-cisd.yaml")});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_EQ(occurrences(refused.err, "runs in one process"), 1) << refused.err;
  EXPECT_EQ(run_ranks(2, {configuration("h2o-cisd.yaml"), "--set", "backend=cuda"}).code, 69);
}

TEST_F(JobsOnRanks, ProcessesThatCannotReachEachOtherDoNotRunSeparateJobs) {
  write_job();
  const std::string each =
      script("exec env -u OMPI_COMM_WORLD_SIZE PMI_SIZE=7 PMI_RANK=0 " CISOLVE_PROGRAM " job.yaml");
  use_program(each);
  const Finished refused = run({});
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("7 processes were started"));
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

/// A cluster may signal one rank or all. A rank other than the first reports it at the next
/// iteration.
class SignalToTheSecond : public JobsOnRanks {
 protected:
  Finished run_until(const std::filesystem::path& awaited, int milliseconds,
                     const std::string& settings) {
    const std::string each =
        script("echo $$ >pid$rank\nexec " CISOLVE_PROGRAM " job.yaml " + settings);
    std::thread signaller([&] {
      for (int wait = 0; wait < 10000 && !std::filesystem::exists(awaited); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      if (const int pid = std::stoi("0" + read_file(file("pid1"))); pid > 0) kill(pid, SIGTERM);
    });
    Finished ended = run_ranks(2, {}, each);
    signaller.join();
    return ended;
  }
};

TEST_F(SignalToTheSecond, EndsTheSolutionOnAllRanks) {
  write_job();
  const Finished ended =
      run_until(file("out"), 500, "--set space.kind=fci --set space.irrep=1");  // long to build
  EXPECT_EQ(ended.code, 75) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("interrupted in iteration 0"));
  EXPECT_TRUE(std::filesystem::exists(file("out") / "checkpoint-a.h5"));
}

TEST_F(SignalToTheSecond, SavesTheStateAndEndsAll) {
  const double energy = energy_alone();
  write_job();
  const Finished ended = run_until(file("out") / "checkpoint-a.h5", 0,
                                   "--set solver.tolerance=1e-12 --set space.spin=0");
  ASSERT_EQ(ended.code, 75) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("interrupted in iteration"));
  const Finished resumed = run_ranks(3, {"resume", "out", "--set", "solver.tolerance=1e-8"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NEAR(record_in("out")["states"][0]["energy"].get<double>(), energy, 1e-10);
}

/// A job on three ranks, signalled some time after a file appears.
class SignalledRank : public JobsOnRanks {
 protected:
  Finished run_until(const std::filesystem::path& awaited, int milliseconds,
                     const std::function<void()>& act) {
    for (int r = 0; r < 3; ++r) std::filesystem::remove(pid_file(r));
    const std::string each = script("echo $$ >pid$rank\nexec " CISOLVE_PROGRAM " job.yaml");
    std::thread sender([&] {
      for (int wait = 0; wait < 5000 && !std::filesystem::exists(awaited); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      act();
    });
    Finished ended = run_ranks(3, {}, each);
    sender.join();
    for (int r = 0; r < 3; ++r) EXPECT_TRUE(has_ended(read_file(pid_file(r)))) << "rank " << r;
    return ended;
  }
  Finished run_with(int signal, int victim, const std::filesystem::path& awaited,
                    int milliseconds) {
    return run_until(awaited, milliseconds, [=, this] { send(signal, victim); });
  }
  void send(int signal, int rank) const {
    if (const int pid = std::stoi("0" + read_file(pid_file(rank))); pid > 0) kill(pid, signal);
  }
  std::filesystem::path pid_file(int rank) const { return file("pid" + std::to_string(rank)); }
  std::filesystem::path checkpoint() const { return file("out") / "checkpoint-a.h5"; }

  /// Resumes the job, or restarts it if no checkpoint was written.
  void expect_resumed(double energy) {
    const Finished resumed = std::filesystem::exists(checkpoint())
                                 ? run_ranks(2, {"resume", "out"})
                                 : run_ranks(2, {"job.yaml", "--force"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_NEAR(record_in("out")["states"][0]["energy"].get<double>(), energy, 1e-10);
  }
};

TEST_F(SignalledRank, ThatIsKilledEndsAllAndTheJobCanBeResumed) {
  const double energy = energy_alone();
  write_job();
  int unfinished = 0;
  for (const int later : {0, 20}) {
    std::filesystem::remove_all(file("out"));
    const Finished ended = run_with(SIGKILL, later == 20 ? 0 : 2, checkpoint(), later);
    EXPECT_LT(ended.seconds, 10) << ended.err;
    if (ended.code == 0) continue;  // the job ended before the signal
    ++unfinished;
    expect_resumed(energy);
  }
  EXPECT_GT(unfinished, 0);
}

// Kills at random times from the start of the process; CISOLVE_KILLS=50 for 50 of them.
TEST_F(SignalledRank, ThatIsKilledAtAnyTimeLeavesAJobThatCanBeResumed) {
  const double energy = energy_alone();
  write_job();
  const double all = run_ranks(3, {"job.yaml"}).seconds;
  const char* wanted = std::getenv("CISOLVE_KILLS");
  const int kills = wanted == nullptr ? 4 : std::stoi(wanted);
  std::mt19937 random(23);
  int unfinished = 0;
  for (int k = 0; k < kills; ++k) {
    std::filesystem::remove_all(file("out"));
    const int victim = std::uniform_int_distribution(0, 2)(random);
    const int later = std::uniform_int_distribution(0, static_cast<int>(900 * all))(random);
    SCOPED_TRACE("rank " + std::to_string(victim) + " after " + std::to_string(later) + " ms");
    const Finished ended = run_with(SIGKILL, victim, pid_file(victim), later);
    EXPECT_LT(ended.seconds, 10) << ended.err;
    if (ended.code == 0) continue;
    ++unfinished;
    expect_resumed(energy);
  }
  RecordProperty("unfinished", unfinished);
  EXPECT_GT(unfinished, 0);
}

TEST_F(SignalledRank, ThatHangsEndsAllWithOneMessageAndTheJobCanBeResumed) {
  const double energy = energy_alone();
  for (const int victim : {2, 0}) {
    std::filesystem::remove_all(file("out"));
    write_job();
    const Finished ended = run_with(SIGSTOP, victim, checkpoint(), 0);
    // MPICH's launcher ORs the bits of this and of SIGKILL, by which it ends the others.
    EXPECT_THAT(ended.code, testing::AnyOf(71, 71 | SIGKILL, SIGKILL)) << ended.err;
    EXPECT_LT(ended.seconds, 10) << ended.err;
    EXPECT_EQ(occurrences(ended.err, "ci-solve: error"), 1) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("rank " + std::to_string(victim) + " does not respond"));
    expect_resumed(energy);
  }
}

// Suspends ranks as a batch system does, for longer than the time limit for a rank.
TEST_F(SignalledRank, ThatIsSuspendedWithAllOthersContinuesWithThem) {
  write_job();
  const Finished ended = run_until(checkpoint(), 0, [&] {
    for (int r = 0; r < 3; ++r) send(SIGSTOP, r);
    std::this_thread::sleep_for(std::chrono::seconds(7));
    for (int r = 0; r < 3; ++r) send(SIGCONT, r);
  });
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_GT(ended.seconds, 7) << "it was done before";
}

}  // namespace
}  // namespace cisolve::test
