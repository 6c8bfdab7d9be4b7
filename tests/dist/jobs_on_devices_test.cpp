#include "base/device.hpp"
#include "base/number.hpp"
#include "tests/dist/jobs_on_ranks.hpp"
#include "tests/support/backend.hpp"

// Jobs on several ranks with devices: one device per rank if there are enough, else all use the
// first.
namespace cisolve::test {
namespace {

class JobsOnDevices : public JobsOnRanks {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_device(); !reason.empty()) GTEST_SKIP() << reason;
    JobsOnRanks::SetUp();
  }
  static int devices() {
    std::string reason;
    return base::cuda::device_count(reason);
  }
  static std::string backend_of(int ranks) { return devices() >= ranks ? "cuda" : "cuda:0"; }

  void expect_on_devices(std::vector<std::string> job, int ranks, const std::string& path) {
    job.insert(job.end(),
               {"--set", "backend=" + backend_of(ranks), "--set", "device_memory=2 GiB"});
    expect_as_alone(job, ranks);
    EXPECT_EQ(record_in("many")["backend"]["name"], "cuda");
    if (devices() < ranks) {
      EXPECT_EQ(record_in("many")["links"], "host memory");
    }
    EXPECT_EQ(record_in("many")["operator"]["path"], path);
  }
};

TEST_F(JobsOnDevices, GiveTheEnergiesAndFilesOfOneProcess) {
  const std::string water = configuration("h2o-fci.yaml");
  const auto by = [](const std::string& elements) { return "storage.elements=" + elements; };
  expect_on_devices({water, "--set", by("factorised")}, 2, "factorised");
  expect_on_devices({water, "--set", by("factorised"), "--set", "space.irrep=any"}, 3,
                    "factorised");
  expect_on_devices({water, "--set", by("factorised"), "--set", "solver.verification=sample"}, 2,
                    "factorised");
  expect_on_devices({water, "--set", by("on-the-fly")}, 2, "on-the-fly");
  expect_on_devices({water, "--set", by("precomputed")}, 3, "precomputed");
  expect_on_devices({water, "--set", by("coded")}, 2, "coded");
  expect_on_devices({configuration("h2o-cisd.yaml"), "--set", by("mixed")}, 2, "mixed");
  expect_on_devices({configuration("n2-mrci.yaml"), "--set", by("on-the-fly")}, 3, "on-the-fly");
  expect_on_devices({configuration("example.mtx")}, 2, "coded");
  for (const std::string path : {"factorised", "on-the-fly", "precomputed"})
    expect_on_devices({water, "--set", by(path), "--set", "space.spin=1"}, 2, path);
}

TEST_F(JobsOnDevices, ACheckpointIsResumedByAnyNumberOfRanks) {
  const std::vector<std::string> job = {
      configuration("h2o-fci.yaml"), "--set", "output.directory=out",    "--set",
      "output.checkpoint=0 s",       "--set", "backend=" + backend_of(2)};
  const auto with = [&](const std::string& setting) {
    std::vector<std::string> arguments = job;
    arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  };
  ASSERT_EQ(run_alone(with("output.directory=alone")).code, 0);
  ASSERT_EQ(run_ranks(2, with("solver.max_iterations=3")).code, 3);
  const Finished last = run_alone({"resume", "out", "--set", "solver.max_iterations=100"});
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("resumed after iteration 3"));
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(record_in("out")["states"][j]["energy"].get<double>(),
                record_in("alone")["states"][j]["energy"].get<double>(), 1e-10);
}

TEST_F(JobsOnDevices, MoreRanksThanDevicesWarnAndUseTheHost) {
  const int ranks = devices() + 1;
  const std::vector<std::string> job = {configuration("h2o-cisd.yaml"), "--force"};
  const Finished many = run_ranks(ranks, job);
  EXPECT_EQ(many.code, 0) << many.err;
  EXPECT_THAT(many.err, HasSubstr("all ranks use the host: rank 0 sees " +
                                  base::counted(devices(), "device") + ", but its node runs " +
                                  std::to_string(ranks) + " ranks"));
  const Finished refused = run_ranks(ranks, {job[0], job[1], "--set", "backend=cuda"});
  EXPECT_EQ(refused.code, 69) << refused.err;
}

}  // namespace
}  // namespace cisolve::test
