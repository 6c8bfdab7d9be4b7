#include <nlohmann/json.hpp>

#include "program.hpp"
#include "tests/support/backend.hpp"

// Jobs on each backend: where the Hamiltonian is built, the energies, and their verification.
namespace cisolve::test {
namespace {

using nlohmann::json;

class BackendJobs : public ProgramTest {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_device(); !reason.empty()) GTEST_SKIP() << reason;
    ProgramTest::SetUp();
  }

  Finished run_job(const std::string& source, const std::string& backend, const std::string& rest) {
    write_file(file("a.yaml"), "problem: {fcidump: " + std::string(CISOLVE_DATA) + "/" + source +
                                   "}\nbackend: " + backend + "\n" + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& source, const std::string& backend, const std::string& rest) {
    const Finished finished = run_job(source, backend, rest);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return json::parse(read_file(file("out/run.json")));
  }
};

TEST_F(BackendJobs, TheBackendBuildsAndVerifiesFullCi) {
  const json record = solved("h2o_sto3g.fcidump", backend_name(), "solver: {states: 2}\n");
  EXPECT_EQ(record["backend"]["name"], backend_name());
  EXPECT_EQ(record["operator"]["built_by"], backend_name());
  EXPECT_EQ(record["fallbacks"], json::array());
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
  EXPECT_TRUE(record["verification"]["passed"].get<bool>());
}

TEST_F(BackendJobs, StringMatricesAreVerifiedInASampleOfRowsWhereTheyMultiply) {
  const json record = solved(
      "../../configs/h2o.fcidump", backend_name(),
      "space: {frozen: 1}\nstorage: {elements: factorised}\nsolver: {verification: sample}\n");
  EXPECT_EQ(record["fallbacks"], json::array());
  EXPECT_LT(record["verification"]["sample"]["rows"], record["verification"]["sample"]["of_rows"]);
}

TEST_F(BackendJobs, EverySpaceHasTheEnergiesOfTheReferenceBackend) {
  for (const char* source : {"h2o_sto3g.fcidump", "oh_uhf.fcidump"})
    for (const char* space :
         {"{kind: cisd}", "{kind: ras, ras1: 3, ras2: 2, holes: 1, particles: 1}",
          "{kind: cas, frozen: 1}"}) {
      SCOPED_TRACE(std::string(source) + ", " + space);
      const std::string rest = "space: " + std::string(space) + "\nsolver: {states: 2}\n";
      const json expected = solved(source, "reference", rest);
      const json found = solved(source, backend_name(), rest);
      EXPECT_EQ(found["operator"]["built_by"], backend_name());
      EXPECT_EQ(found["operator"]["nonzeros"], expected["operator"]["nonzeros"]);
      for (int j = 0; j < 2; ++j)
        EXPECT_NEAR(found["states"][j]["energy"].get<double>(),
                    expected["states"][j]["energy"].get<double>(), 1e-10);
    }
}

TEST_F(BackendJobs, AFormatThatADeviceCannotBuildIsReportedAsBuiltByTheHost) {
  const json record = solved("h2o_sto3g.fcidump", backend_name(), "storage: {format: csb}\n");
  EXPECT_EQ(record["operator"]["built_by"], backend_name() == "cuda" ? "openmp" : backend_name());
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), kWaterFci, 1e-9);
}

/// Rings of spins, whose energy is known from the Bethe ansatz.
class SpinJobs : public BackendJobs {
 protected:
  static constexpr double kRingOf16 = -7.142296360616;

  json ring(int sites, const std::string& rest, const std::string& symmetry) {
    write_file(file("a.yaml"),
               "problem: {lattice: {model: heisenberg, columns: " + std::to_string(sites) +
                   ", periodic_columns: true}}\nspace: {symmetry: {" + symmetry +
                   "}\nbackend: " + backend_name() + "\n" + rest);
    const Finished finished = run({"a.yaml", "--force"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return json::parse(read_file(file("out/run.json")));
  }
};

TEST_F(SpinJobs, RowsAreStoredOrComputedWhereTheJobRuns) {
  for (const char* elements : {"precomputed", "on-the-fly", "auto"}) {
    SCOPED_TRACE(elements);
    const json record = ring(16, "storage: {elements: " + std::string(elements) + "}\n",
                             "momentum: [0], columns: even, spin: even}");
    EXPECT_EQ(record["backend"]["name"], backend_name());
    EXPECT_EQ(record["operator"]["built_by"], backend_name());
    EXPECT_EQ(record["fallbacks"], json::array());
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(), kRingOf16, 1e-9);
    EXPECT_NEAR(record["states"][0]["s2"].get<double>(), 0, 1e-9);
    EXPECT_TRUE(record["verification"]["passed"].get<bool>());
  }
}

TEST_F(SpinJobs, ASectorWithManySymmetriesIsVerifiedInASampleOfRows) {
  const json record = ring(20, "solver: {verification: sample, states: 3}\n", "momentum: [3]}");
  const json& sample = record["verification"]["sample"];
  ASSERT_TRUE(sample.is_object());
  EXPECT_EQ(sample["of_rows"], record["space"]["dimension"]);
  EXPECT_LT(sample["rows"], sample["of_rows"]);
  EXPECT_LT(sample["largest_difference"], 1e-11);
  EXPECT_TRUE(sample["random_vector"].get<bool>());
  EXPECT_TRUE(record["verification"]["passed"].get<bool>());
  const json whole = ring(20, "solver: {verification: whole, states: 3}\n", "momentum: [3]}");
  EXPECT_TRUE(whole["verification"]["sample"].is_null());
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(record["states"][j]["energy"].get<double>(),
                whole["states"][j]["energy"].get<double>(), 1e-10);
}

TEST_F(SpinJobs, ElectronsOfASymmetryAreSolvedWhereTheJobRuns) {
  for (const char* elements : {"precomputed", "on-the-fly", "auto"}) {
    SCOPED_TRACE(elements);
    write_file(file("a.yaml"),
               "problem: {lattice: {columns: 4, rows: 2, periodic_columns: true, u: 4}}\n"
               "space: {symmetry: {momentum: [0], rows: even, spin: even}}\nbackend: " +
                   backend_name() + "\nstorage: {elements: " + elements + "}\n");
    const Finished finished = run({"a.yaml", "--force"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    const json record = json::parse(read_file(file("out/run.json")));
    EXPECT_EQ(record["backend"]["name"], backend_name());
    EXPECT_EQ(record["fallbacks"], json::array());
    EXPECT_TRUE(record["verification"]["passed"].get<bool>());
    EXPECT_NEAR(record["states"][0]["density_energy"].get<double>(),
                record["states"][0]["energy"].get<double>(), 1e-9);
    write_file(file("b.yaml"),
               "problem: {lattice: {columns: 4, rows: 2, periodic_columns: true, u: 4}}\n");
    EXPECT_EQ(run({"b.yaml", "--force", "--set", "output.directory=whole"}).code, 0);
    const json whole = json::parse(read_file(file("whole/run.json")));
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(),
                whole["states"][0]["energy"].get<double>(), 1e-9);
  }
}

// Each of 165,636,900 basis states is tested for being the representative of its orbit, on a device
// if there is one.
TEST_F(SpinJobs, ALargeBasisIsSearchedOnADevice) {
  if (backend_under_test().is_host()) GTEST_SKIP() << "a host takes a minute";
  const Finished finished = run({configuration("hubbard-torus.yaml"), "--force"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const json record = json::parse(read_file(file("out/hubbard-torus/run.json")));
  EXPECT_EQ(record["backend"]["name"], backend_name());
  EXPECT_EQ(record["space"]["words"], 165636900);
  EXPECT_EQ(record["space"]["dimension"], 650759);
  EXPECT_EQ(record["fallbacks"], json::array());
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), -13.621854821163, 1e-9);
  EXPECT_NEAR(record["states"][0]["density_energy"].get<double>(), -13.621854821163, 1e-8);
  EXPECT_NEAR(record["states"][0]["s2"].get<double>(), 0, 1e-8);
  EXPECT_LT(finished.seconds, 30);
}

TEST_F(SpinJobs, OneTotalSpinIsFoundAndReportedOnEveryBackend) {
  const json record = ring(12, "solver: {states: 2}\n", "momentum: [0]}, spin: 1");
  EXPECT_TRUE(record["verification"]["passed"].get<bool>());
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(record["states"][j]["s2"].get<double>(), 2, 1e-8);
}

}  // namespace
}  // namespace cisolve::test
