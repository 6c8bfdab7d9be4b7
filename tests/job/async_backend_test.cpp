#include "job/ranking/async_backend.hpp"

#include "base/device.hpp"
#include "tests/app/configuration.hpp"

// The backend of a job, and when it starts.
namespace cisolve::app {
namespace {

class AsyncBackendTest : public ConfigurationTest {
 protected:
  cisolve::job::Request job(const std::string& problem, const std::string& rest = "") const {
    return load("problem: {" + problem + "}\n" + rest).request;
  }
};

TEST_F(AsyncBackendTest, IsNotStartedWhileAnotherProcessReads) {
  const auto forks = [&](const std::string& problem, const std::string& rest = "") {
    return job::reads_by_forks(job(problem, rest), false);
  };
  EXPECT_FALSE(forks("generate: {}"));
  EXPECT_FALSE(forks("fcidump: a.fcidump"));
  EXPECT_FALSE(forks("matrix: a.mtx"));
  EXPECT_TRUE(forks("matrix: a.h5"));
  EXPECT_TRUE(forks("trexio: a.h5"));
  EXPECT_TRUE(job::reads_by_forks(job("generate: {}"), true));  // reads its checkpoint
  const std::string list = path_.string() + ".list";
  for (const bool is_hdf5 : {false, true}) {
    std::ofstream(list, std::ios::binary) << (is_hdf5 ? "\x89HDF\r\n\x1a\n..." : "220\n");
    EXPECT_EQ(forks("fcidump: a.fcidump", "space: {kind: list, determinants: " + list + "}\n"),
              is_hdf5);
    for (const char* key : {"follow", "start_from"})
      EXPECT_EQ(forks("fcidump: a.fcidump", base::concat("solver: {", key, ": ", list, "}\n")),
                is_hdf5);
    EXPECT_EQ(forks("fcidump: a.fcidump", "analysis: {dyson: " + list + "}\n"), is_hdf5);
  }
  std::filesystem::remove(list);
}

TEST_F(AsyncBackendTest, OfAMissingDeviceIsRefusedByItsNumber) {
  std::string reason;
  const int count = base::cuda::device_count(reason);
  const job::Request request = job("generate: {}", base::concat("backend: cuda:", count, "\n"));
  EXPECT_EQ(request.backend.text(), base::concat("cuda:", count));
  try {
    job::AsyncBackend(request, false).get();
    ADD_FAILURE() << "device " << count << " of " << count;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::backend) << error.what();
  }
}

TEST_F(AsyncBackendTest, IsTheHostBackendIfRequested) {
  const job::Request request = job("generate: {}", "backend: openmp\nthreads: 3\n");
  job::AsyncBackend starting(request, false);
  EXPECT_EQ(starting.get().threads(), 3);
  EXPECT_EQ(&starting.get().host_memory(), &starting.host().host_memory());
}

// If the backend is left open, a device starts on request; otherwise it is starting already.
TEST_F(AsyncBackendTest, WaitsIfASmallJobMayNotNeedADevice) {
  const auto waits = [&](const std::string& rest) {
    const job::Request request = job("generate: {}", rest);
    return job::AsyncBackend(request, false).may_stay_on_host();
  };
  EXPECT_EQ(waits("backend: auto\n"), base::cuda::is_built() && !base::Backend::has_used_device(0));
  EXPECT_FALSE(waits("backend: auto\ndevice_memory: 1 GiB\n"));
  EXPECT_FALSE(waits("backend: auto\nsolver: {states: 0}\n"));
  EXPECT_FALSE(waits("backend: openmp\n"));

  const job::Request request = job("generate: {}", "backend: auto\n");
  for (const bool by_name : {false, true}) {
    job::AsyncBackend starting(request, false);
    if (by_name) starting.begin();
    const base::Backend backend = starting.get();
    EXPECT_FALSE(starting.may_stay_on_host());
    std::string reason;
    EXPECT_EQ(backend.is_host(), base::cuda::device_count(reason) == 0);
    // The next job of this process does not wait for an existing device.
    EXPECT_EQ(base::Backend::has_used_device(0), !backend.is_host());
    EXPECT_EQ(waits("backend: auto\n"), base::cuda::is_built() && backend.is_host());
  }
}

}  // namespace
}  // namespace cisolve::app
