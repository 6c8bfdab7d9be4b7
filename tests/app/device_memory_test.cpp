#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "tests/support/backend.hpp"

// Jobs on a device with too little memory, or that fails.
namespace cisolve::test {
namespace {

using nlohmann::json;

class DeviceMemoryTest : public ProgramTest {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_device(); !reason.empty()) GTEST_SKIP() << reason;
    ProgramTest::SetUp();
  }
  void TearDown() override {
    unsetenv("CISOLVE_TEST_LEAVES");
    unsetenv("CISOLVE_TEST_BREAKS_ONCE");
    ProgramTest::TearDown();
  }

  // A molecule's matrix is built by the device, a generated one by the host.
  static constexpr const char* kChain =
      "problem: {lattice: {columns: 8}}\nsolver: {states: 2, method: davidson}\n";
  static constexpr const char* kGenerated =
      "problem: {generate: {rows: 12000, density: 0.02, symmetric: true}}\nsolver: {states: 1}\n";

  Finished run_job(const std::string& job, const std::string& rest) {
    write_file(file("a.yaml"), job + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& job, const std::string& rest) {
    const Finished finished = run_job(job, rest);
    EXPECT_EQ(finished.code, 0) << finished.err;
    json record = json::parse(read_file(file("out/run.json")));
    for (const json& step : record["fallbacks"]) {
      const std::string to = step["to"];
      EXPECT_NE(finished.out.find("fallback " + to), std::string::npos) << finished.out;
      EXPECT_NE(finished.err.find(to), std::string::npos) << finished.err;
      EXPECT_FALSE(step["reason"].get<std::string>().empty());
    }
    return record;
  }
  static void expect_same_energies(const json& found, const json& expected) {
    ASSERT_EQ(found["states"].size(), expected["states"].size());
    for (std::size_t j = 0; j < expected["states"].size(); ++j)
      EXPECT_NEAR(found["states"][j]["energy"].get<double>(),
                  expected["states"][j]["energy"].get<double>(), 1e-9);
    EXPECT_TRUE(found["verification"]["passed"].get<bool>());
  }
};

TEST_F(DeviceMemoryTest, AnyBudgetFindsTheStatesAndReportsWhere) {
  for (const char* job : {kChain, kGenerated}) {
    const json expected = solved(job, "backend: openmp\n");
    EXPECT_TRUE(expected["fallbacks"].empty());
    for (const char* budget : {"64 KiB", "1 MiB", "2 MiB", "4 MiB", "16 MiB", "64 MiB", "4 GiB"}) {
      SCOPED_TRACE(std::string(job) + budget);
      const json record =
          solved(job, "backend: auto\ndevice_memory: " + std::string(budget) + "\n");
      expect_same_energies(record, expected);
      const bool on_device = record["backend"]["name"] == "cuda";
      const json& steps = record["fallbacks"];
      EXPECT_FALSE(on_device && std::string(budget) == "64 KiB");
      if (std::string(budget) == "4 GiB") {
        EXPECT_TRUE(on_device && steps.empty()) << steps;
      }
      if (!on_device) {
        ASSERT_FALSE(steps.empty());
        EXPECT_EQ(steps.back()["to"], "hybrid on the host");
      }
    }
  }
}

TEST_F(DeviceMemoryTest, ADeviceRequestedByNameIsNeverReplaced) {
  for (const char* job : {kChain, kGenerated}) {
    const Finished finished = run_job(job, "backend: cuda\ndevice_memory: 64 KiB\n");
    EXPECT_EQ(finished.code, 71) << finished.err;
    EXPECT_NE(finished.err.find("of the memory budget of 64 KiB"), std::string::npos)
        << finished.err;
    EXPECT_NE(finished.err.find("backend: auto"), std::string::npos) << finished.err;
    EXPECT_FALSE(exists(file("out/run.json")));
  }
}

TEST_F(DeviceMemoryTest, ACheckSaysWhatAJobWouldDo) {
  write_file(file("a.yaml"), kGenerated);
  EXPECT_NE(run({"check", "a.yaml", "--set", "device_memory=64 KiB"})
                .out.find("DOES NOT FIT; a job falls back to hybrid on the host"),
            std::string::npos);
  EXPECT_NE(run({"check", "a.yaml", "--set", "device_memory=64 KiB", "--set", "storage.format=csr"})
                .out.find("DOES NOT FIT; a job falls back to csr on the host"),
            std::string::npos);
}

// The budget fits the device, but another process has taken the memory.
TEST_F(DeviceMemoryTest, MemoryHeldByAnotherProgramIsReportedAndRespected) {
  const json expected = solved(kGenerated, "backend: openmp\n");
  use_program(CISOLVE_FAULT_INJECTION_PROGRAM);
  for (const char* left : {"0", "8", "48", "512"}) {
    SCOPED_TRACE(left);
    setenv("CISOLVE_TEST_LEAVES", left, 1);
    const json record = solved(kGenerated, "backend: auto\ndevice_memory: 16 GiB\n");
    expect_same_energies(record, expected);
    if (std::string(left) == "8") {
      EXPECT_GE(record["fallbacks"].size(), 1u);
    }
  }
  setenv("CISOLVE_TEST_LEAVES", "8", 1);
  const Finished finished = run_job(kGenerated, "backend: cuda\ndevice_memory: 16 GiB\n");
  EXPECT_EQ(finished.code, 71) << finished.err;
}

// Writing on the host while the device works does not change the bits of the result.
TEST_F(DeviceMemoryTest, AsynchronousCheckpointsChangeNoResult) {
  const std::string job =
      "problem: {lattice: {columns: 10}}\nsolver: {states: 4, method: davidson}\nbackend: cuda\n";
  const json expected = solved(job, "output: {checkpoint: off}\n");
  for (const char* interval : {"1 ms", "0 s"}) {
    SCOPED_TRACE(interval);
    const json found = solved(job, std::string("output: {checkpoint: ") + interval + "}\n");
    EXPECT_EQ(found["solver"]["products"], expected["solver"]["products"]);
    for (std::size_t j = 0; j < expected["states"].size(); ++j)
      EXPECT_EQ(found["states"][j]["energy"], expected["states"][j]["energy"]);
    EXPECT_FALSE(exists(file("out/checkpoint-a.h5")));
    EXPECT_FALSE(exists(file("out/checkpoint-b.h5")));
  }
  write_file(file("a.yaml"), job + "output: {checkpoint: 1 ms}\n");
  const Finished killed =
      run({"a.yaml", "--force"}, "", {SIGKILL, {}, file("out/checkpoint-b.h5")});
  EXPECT_EQ(killed.code, -SIGKILL) << killed.err;
  const Finished resumed = run({"resume", "out"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("resumed after iteration"), std::string::npos) << resumed.err;
  expect_same_energies(json::parse(read_file(file("out/run.json"))), expected);
}

TEST_F(DeviceMemoryTest, ADeviceThatFailsEndsTheJobAndAnotherProcessGoesOn) {
  const std::string job =
      "problem: {lattice: {columns: 10}}\nsolver: {states: 4, method: davidson}\n"
      "backend: cuda\noutput: {checkpoint: 0 s}\n";
  const json expected = solved(job, "");
  std::filesystem::remove_all(file("out"));
  use_program(CISOLVE_FAULT_INJECTION_PROGRAM);
  setenv("CISOLVE_TEST_BREAKS_ONCE", file("out/checkpoint-b.h5").c_str(), 1);
  const Finished broken = run_job(job, "");
  EXPECT_EQ(broken.code, 71) << broken.err;
  EXPECT_NE(broken.err.find("cannot use it any more"), std::string::npos) << broken.err;
  EXPECT_NE(broken.err.find("ci-solve resume out"), std::string::npos) << broken.err;
  EXPECT_LT(broken.seconds, 60);
  EXPECT_FALSE(exists(file("out/run.json")));
  use_program(CISOLVE_PROGRAM);
  const Finished resumed = run({"resume", "out"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("resumed after iteration"), std::string::npos) << resumed.err;
  expect_same_energies(json::parse(read_file(file("out/run.json"))), expected);
}

}  // namespace
}  // namespace cisolve::test
