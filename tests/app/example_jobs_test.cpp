#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/backend.hpp"
#include "base/device.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// Every file in configs/ runs unchanged, and its record is consistent.
namespace cisolve::test {
namespace {

using nlohmann::json;

class ExampleJobTest : public ProgramTest {
 protected:
  json run_job(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{configuration(name + ".yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, 0) << finished.err;
    seconds_ = finished.seconds;
    json record = json::parse(read_file(file("out/" + name + "/run.json")));
    EXPECT_EQ(record["schema"], 2);
    EXPECT_EQ(record["program"], "ci-solve");
    EXPECT_EQ(record["verification"]["passed"], true);
    if (record.contains("product")) expect_consistent(record);
    if (record.contains("states")) {
      EXPECT_NE(finished.out.find("converged and verified"), std::string::npos) << finished.out;
      EXPECT_EQ(record["solver"]["converged"], true);
    }
    return record;
  }

  static void expect_consistent(const json& record) {
    const json& statistics = record["statistics"];
    const json& stored = record["operator"];
    EXPECT_EQ(stored["nonzeros"], statistics["whole"]["nonzeros"]);
    EXPECT_EQ(statistics["reference"]["nonzeros"].get<long>() +
                  statistics["expansion"]["nonzeros"].get<long>(),
              statistics["whole"]["nonzeros"].get<long>());
    for (const json& format : record["memory"]) {
      if (format["format"] != stored["format"]) continue;
      for (const char* key : {"bytes", "bytes_by_formula", "padding", "boundary"})
        EXPECT_EQ(format[key], stored[key]) << key;
    }
    EXPECT_GT(record["product"]["median_s"], 0);
    EXPECT_LE(record["product"]["fastest_s"], record["product"]["median_s"]);
  }

  static void expect_energies(const json& record, const std::vector<double>& energies) {
    ASSERT_EQ(record["states"].size(), energies.size());
    for (std::size_t j = 0; j < energies.size(); ++j) {
      EXPECT_NEAR(record["states"][j]["energy"].get<double>(), energies[j], 1e-10);
      EXPECT_LE(record["states"][j]["residual"].get<double>(), 1.1e-8);  // rotated ones sum two
      EXPECT_EQ(record["states"][j]["converged"], true);
    }
  }

  // PySCF's energies for the same job: scripts/example-energies.py.
  static void expect_as_by_pyscf(const json& record, const std::string& name) {
    const json found =
        json::parse(read_file(std::string(CISOLVE_DATA) + "/example_energies.json"))[name];
    expect_energies(record, found["energies"].get<std::vector<double>>());
    if (found.contains("dimension")) {
      EXPECT_EQ(record["space"]["dimension"], found["dimension"]);
    }
    if (!found.contains("s2")) return;
    for (std::size_t j = 0; j < found["s2"].size(); ++j)
      EXPECT_NEAR(record["states"][j]["s2"].get<double>(), found["s2"][j].get<double>(), 1e-8);
  }

  double seconds_ = 0;
};

TEST_F(ExampleJobTest, Quickstart) {
  const json record = run_job("quickstart");
  EXPECT_EQ(record["problem"]["rows"], 4096);
  EXPECT_EQ(record["problem"]["symmetric"], true);
  EXPECT_EQ(record["operator"]["format"], "hybrid");
  EXPECT_EQ(record["operator"]["path"], "precomputed");
  EXPECT_EQ(record["states"].size(), 3u);
  EXPECT_EQ(run({configuration("quickstart.yaml")}).code, 73);
  EXPECT_EQ(run({configuration("quickstart.yaml"), "--force"}).code, 0);
}

TEST_F(ExampleJobTest, MatrixFile) {
  const json record = run_job("matrix-file");
  EXPECT_EQ(record["operator"]["nonzeros"], 22);
  EXPECT_EQ(record["operator"]["policy"], "column");
  EXPECT_EQ(record["statistics"]["reference"]["nonzeros"], 12);
  EXPECT_EQ(record["product"]["vectors"], 4);
  expect_energies(record, {-2.313733778880, -1.557804181026, -0.637391723933, 0.453012896009,
                           0.797389048474, 1.258527739357});
  EXPECT_EQ(record["verification"]["completeness"], "certified");
}

// Reference energies of another program, from the same integrals. Under a sanitizer only the first
// state is computed.
TEST_F(ExampleJobTest, H2oFci) {
  std::vector<double> energies{-76.119955187921, -75.753372142850};
  energies.resize(unless_sanitized(2, 1));
  const json record =
      run_job("h2o-fci", {"--set", "solver.states=" + std::to_string(energies.size())});
  EXPECT_EQ(record["space"]["dimension"], 61441);
  EXPECT_EQ(record["space"]["frozen"], 1);
  EXPECT_EQ(record["problem"]["norb"], 13);
  EXPECT_EQ(record["problem"]["nelec"], json({5, 5}));
  expect_energies(record, energies);
}

TEST_F(ExampleJobTest, HubbardChain) {
  const json record = run_job("hubbard-chain");
  EXPECT_EQ(record["space"]["dimension"], 4900);
  expect_energies(record, {-4.235806999130, -3.916494198372});
}

TEST_F(ExampleJobTest, H2oCisd) {
  const json record = run_job("h2o-cisd");
  expect_as_by_pyscf(record, "h2o-cisd");
  EXPECT_GT(record["states"][0]["reference_weight"], 0.96);
}

TEST_F(ExampleJobTest, H2oSelected) {
  const json record = run_job("h2o-selected");
  EXPECT_NEAR(record["states"][0]["total"].get<double>(), -76.120874, 1e-3);  // full CI
  EXPECT_NEAR(record["states"][0]["extrapolated"].get<double>(), -76.120874, 2e-4);
  EXPECT_NEAR(record["states"][0]["s2"].get<double>(), 0, 1e-10);
}

TEST_F(ExampleJobTest, N2Excited) {
  const json record = run_job("n2-excited");
  expect_as_by_pyscf(record, "n2-excited");
  // Two states of one degenerate pair.
  EXPECT_NE(record["states"][4]["irrep"], record["states"][5]["irrep"]);
  const std::string history = read_file(file("out/n2-excited/history.csv"));
  EXPECT_EQ(history.substr(0, history.find(',')), "iteration");
}

TEST_F(ExampleJobTest, N2Mrci) {
  const json record = run_job("n2-mrci");
  expect_as_by_pyscf(record, "n2-mrci");
  EXPECT_GT(record["states"][0]["reference_weight"], 0.6);
}

TEST_F(ExampleJobTest, HubbardPlane) {
  expect_as_by_pyscf(run_job("hubbard-plane"), "hubbard-plane");
}

// The energy of 28 sites is known from the Bethe ansatz. Under a sanitizer a smaller ring is used.
TEST_F(ExampleJobTest, HeisenbergRing) {
  if (!unless_sanitized(true, false)) return;
  const json record = run_job("heisenberg-ring");
  EXPECT_EQ(record["space"]["dimension"], 361270);
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), -12.437647541545, 1e-9);
  EXPECT_NEAR(record["states"][0]["s2"].get<double>(), 0, 1e-8);
}

// A smaller plane of 4 x 3 sites with 853,776 determinants (see LatticeJobs); the plane of 4 x 4
// needs a device.
TEST_F(ExampleJobTest, HubbardTorus) {
  const json record = run_job(
      "hubbard-torus", {"--set", "problem.lattice.rows=3", "--set", "space.symmetry.exchange=any"});
  EXPECT_EQ(record["space"]["words"], 853776);
  EXPECT_NEAR(record["states"][0]["energy"].get<double>(), -10.309003473081, 1e-9);
  EXPECT_NEAR(record["states"][0]["density_energy"].get<double>(), -10.309003473081, 1e-9);
  EXPECT_NEAR(record["states"][0]["s2"].get<double>(), 0, 1e-8);
}

// Without a GPU it is refused with a reason, and another backend gives the same energy.
TEST_F(ExampleJobTest, Gpu) {
  std::string reason;
  const bool has_device = base::cuda::device_count(reason) > 0;
  const Finished finished = run({configuration("gpu.yaml")});
  ASSERT_EQ(finished.code, has_device ? 0 : 69) << finished.err;
  if (!has_device) {
    EXPECT_NE(finished.err.find("cuda"), std::string::npos) << finished.err;
    EXPECT_FALSE(exists(file("out/gpu/run.json")));
    ASSERT_EQ(run({configuration("gpu.yaml"), "--set", "backend=openmp"}).code, 0);
  }
  const json record = json::parse(read_file(file("out/gpu/run.json")));
  EXPECT_EQ(record["backend"]["name"], has_device ? "cuda" : "openmp");
  expect_as_by_pyscf(record, "gpu");
}

TEST_F(ExampleJobTest, PaperMatrix) {
  const json record = run_job("paper-matrix");
  EXPECT_FALSE(record.contains("states"));
  EXPECT_EQ(record["statistics"]["reference"]["nonzeros"], 21463040);
  EXPECT_EQ(record["operator"]["boundary"], 655);
  EXPECT_GE(record["statistics"]["whole"]["longest_row"], 1050);
  EXPECT_LE(record["statistics"]["whole"]["longest_row"], 1090);
}

// -2 cos(m pi / (sites + 1))
TEST_F(ExampleJobTest, TightBinding) {
  const json record = run_job("tight-binding");
  EXPECT_EQ(record["operator"]["format"], "diagonal");
  EXPECT_EQ(record["operator"]["nonzeros"], 118);
  std::vector<double> energies;
  for (int m = 1; m <= 4; ++m) energies.push_back(-2 * std::cos(m * std::numbers::pi / 61));
  expect_energies(record, energies);
  EXPECT_EQ(record["verification"]["completeness"], "certified");
}

// Tabulated energies of the quartic oscillator.
TEST_F(ExampleJobTest, Anharmonic) {
  const json record = run_job("anharmonic");
  EXPECT_EQ(record["operator"]["format"], "diagonal");
  expect_energies(record, {0.559146327184, 1.769502643949, 3.138624308498, 4.628882808888});
}

TEST_F(ExampleJobTest, NoneIsWithoutATest) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_CONFIGS))
    if (entry.path().extension() == ".yaml" &&
        read_file(entry.path()).find("\nsweep:") == std::string::npos)
      ++count;
  EXPECT_EQ(count, 15);
}

}  // namespace
}  // namespace cisolve::test
