#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program.hpp"

// configs/slurm.sh, with stand-ins for the two commands of Slurm that it calls.
namespace cisolve::test {
namespace {

using nlohmann::json;

class SlurmTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::filesystem::create_directory(file("bin"));
    std::filesystem::create_symlink(CISOLVE_PROGRAM, file("bin/ci-solve"));
    // The first step meets the time limit as soon as a checkpoint is there.
    stand_in("srun",
             "echo \"$@\" >>calls\n"
             "\"$@\" & pid=$!\n"
             "if [ ! -e limit-was-met ]; then\n"
             "  until [ -e out/slurm-42/checkpoint-a.h5 ]; do sleep 0.02; done\n"
             "  touch limit-was-met; kill -TERM $pid\n"
             "fi\n"
             "wait $pid\n");
    stand_in("scontrol", "echo \"$@\" >requeued\n");
    write_file(file("job.yaml"),
               "problem: {lattice: {columns: 8}}\n"
               "solver: {states: 2, method: davidson}\n"
               "backend: reference\n"
               "output: {checkpoint: 0 s}\n");
  }

  void stand_in(const std::string& name, const std::string& text) const {
    write_file(file("bin/" + name), "#!/bin/sh\n" + text);
    std::filesystem::permissions(file("bin/" + name), std::filesystem::perms::owner_all);
  }

  int run_script() const {
    const std::string command = "cd " + file("").string() + " && PATH=" + file("bin").string() +
                                ":$PATH SLURM_JOB_ID=42 SLURM_CPUS_PER_TASK=1 "
                                "SLURM_MEM_PER_NODE=2000 timeout 60 bash " +
                                configuration("slurm.sh") + " job.yaml >>log 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(SlurmTest, AJobThatReachesItsTimeLimitIsQueuedAgainAndContinues) {
  ASSERT_EQ(run_script(), 75) << read_file(file("log"));
  EXPECT_EQ(read_file(file("requeued")), "requeue 42\n");
  std::filesystem::remove(file("requeued"));
  ASSERT_EQ(run_script(), 0) << read_file(file("log"));
  EXPECT_FALSE(exists(file("requeued")));
  EXPECT_NE(read_file(file("log")).find("resumed after iteration"), std::string::npos);
  EXPECT_NE(read_file(file("calls")).find("--set threads=1 --set memory=1800 MiB"),
            std::string::npos);
  const json record = json::parse(read_file(file("out/slurm-42/run.json")));
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), -4.235806999130, 1e-10);
}

}  // namespace
}  // namespace cisolve::test
