#include <cmath>
#include <nlohmann/json.hpp>

#include "base/device.hpp"
#include "program.hpp"
#include "tests/support/sanitizers.hpp"

// ci-solve sweep: what it measures and writes; a point that fails does not affect the others.
namespace cisolve::test {
namespace {

using nlohmann::json;

// Six sites with six electrons: 400 determinants, rows of several lengths.
constexpr const char* kChain =
    "problem: {lattice: {columns: 6, u: 3}}\n"
    "solver: {states: 3}\n";

class SweepTest : public ProgramTest {
 protected:
  json swept(const std::string& text, int code = 0) {
    write_file(file("sweep.yaml"), text);
    finished_ = run({"sweep", "sweep.yaml", "--force"});
    EXPECT_EQ(finished_.code, code) << finished_.err << finished_.out;
    if (!std::filesystem::exists(file("out/sweep.json"))) return json::object();
    return json::parse(read_file(file("out/sweep.json")));
  }

  std::vector<std::vector<std::string>> csv() const {
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : read_file(file("out/sweep.csv"))) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else if (c == '\n' && !quoted) {
        lines.push_back(std::move(cells));
        cells.assign(1, "");
      } else if (c != '\r')
        cells.back() += c;
    }
    return lines;
  }

  Finished finished_;
};

TEST_F(SweepTest, EnergiesAreTheSameAtAllStoragePoints) {
  const json found =
      swept(std::string(kChain) +
            "sweep:\n"
            "  storage.format: [csr, ellpack, ellpack-r, sell, sell-r, csb, hybrid, tiled, "
            "diagonal, compact-diagonal]\n"
            "  storage.boundary: " +
            unless_sanitized("[0, 3, auto]", "[3, auto]") +
            "\n"
            "  repeat: 2\n");
  write_file(file("job.yaml"), std::string(kChain) + "output: {directory: alone}\n");
  ASSERT_EQ(run({"job.yaml"}).code, 0);
  const json alone = json::parse(read_file(file("alone/run.json")))["states"];
  ASSERT_EQ(found["points"].size(), unless_sanitized(30u, 20u));
  for (const json& point : found["points"]) {
    EXPECT_EQ(point["passed"], true) << point;
    EXPECT_EQ(point["solved"], true);
    EXPECT_EQ(point["verification"]["passed"], true);
    ASSERT_EQ(point["energies"].size(), 3u);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(point["energies"][j].get<double>(), alone[j]["energy"].get<double>(), 1e-10);
  }
}

TEST_F(SweepTest, EnergiesDoNotDependOnTheStoredFraction) {
  const json found = swept(
      "problem: {lattice: {model: hubbard, columns: 5}, electrons: 4}\n"
      "storage: {elements: mixed, format: csr}\n"
      "sweep: {storage.share: [0, 0.5, auto], repeat: 2}\n"
      "output: {directory: out}\n");
  ASSERT_EQ(found["points"].size(), 3u);
  double stored = -1;
  for (const json& point : found["points"]) {
    EXPECT_EQ(point["passed"], true) << point;
    EXPECT_EQ(point["operator"]["path"], "mixed");
    EXPECT_GT(point["operator"]["stored"]["nonzeros"].get<double>(), stored);
    stored = point["operator"]["stored"]["nonzeros"];
    EXPECT_EQ(point["solved"], true);
    EXPECT_NEAR(point["energies"][0].get<double>(), found["points"][0]["energies"][0].get<double>(),
                1e-10);
  }
  EXPECT_EQ(stored, found["points"][0]["operator"]["nonzeros"].get<double>());
}

TEST_F(SweepTest, RecordsTheProblemAsAJobDoes) {
  for (const auto& [problem, kind] :
       {std::pair("{lattice: {model: heisenberg, columns: 6}}", "spins"),
        std::pair("{lattice: {model: hubbard, columns: 3}}", "fci"),
        std::pair("{generate: {rows: 300, symmetric: true}}", "matrix")}) {
    const json found = swept(std::string("problem: ") + problem +
                             "\nsolver: {states: 0}\nsweep: {storage.format: [csr, sell]}\n");
    EXPECT_EQ(found["matrices"][0]["matrix"]["space"]["kind"], kind) << found["matrices"];
    EXPECT_TRUE(found["matrices"][0]["matrix"].contains("problem"));
  }
}

// CSR cannot hold codes, and random elements have too many distinct values to be coded.
TEST_F(SweepTest, TheTableShowsTheStorageInUse) {
  const std::string axis =
      "}\nsolver: {states: 0}\nstorage: {elements: coded}\n"
      "sweep: {storage.format: [csr, sell], repeat: 2}\n";
  const json plain = swept("problem: {generate: {rows: 300, symmetric: true}" + axis);
  ASSERT_EQ(plain["points"].size(), 2u);
  for (const json& point : plain["points"]) EXPECT_EQ(point["operator"]["path"], "precomputed");
  EXPECT_NE(finished_.out.find("stored as"), std::string::npos) << finished_.out;
  EXPECT_EQ(finished_.out.find("coded"), std::string::npos) << finished_.out;
  EXPECT_NE(finished_.err.find("at sell: the elements are stored without codes: they have too"),
            std::string::npos)
      << finished_.err;
  swept("problem: {lattice: {columns: 6}" + axis);
  EXPECT_NE(finished_.out.find("csr  sell, coded values"), std::string::npos) << finished_.out;
  swept(
      "problem: {lattice: {columns: 6}}\nsolver: {states: 0}\n"
      "sweep: {storage.format: [csr, sell], repeat: 2}\n");
  EXPECT_EQ(finished_.out.find("stored as"), std::string::npos) << finished_.out;
}

TEST_F(SweepTest, TableCsvAndJsonAgree) {
  const json found = swept(
      "problem: {generate: {rows: 600, reference_per_row: 12}}\n"
      "solver: {states: 0}\n"
      "sweep: {product.vectors: [1, 4], storage.boundary: [5, auto], repeat: 3}\n");
  const auto lines = csv();
  ASSERT_EQ(lines.size(), 5u);
  const auto column = [&](const std::string& name) {
    const auto& names = lines.front();
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const json& point = found["points"][i];
    const auto& line = lines[i + 1];
    ASSERT_EQ(line.size(), lines.front().size());
    EXPECT_EQ(line[column("set.storage.boundary")],
              point["values"]["storage.boundary"].get<std::string>());
    EXPECT_EQ(std::stod(line[column("median_s")]), point["product"]["median_s"]);
    EXPECT_EQ(std::stol(line[column("bytes")]), point["operator"]["bytes"]);
    EXPECT_EQ(std::stol(line[column("boundary")]), point["operator"]["boundary"]);
    EXPECT_EQ(line[column("passed")], "true");
    EXPECT_NE(finished_.out.find("ok"), std::string::npos);
    const double nonzeros = point["operator"]["nonzeros"];
    const double median = point["product"]["median_s"];
    const double vectors = point["product"]["vectors"];
    EXPECT_EQ(vectors, i < 2 ? 1 : 4);
    EXPECT_NEAR(point["product"]["gflops"].get<double>(), 2e-9 * nonzeros * vectors / median,
                1e-9 * nonzeros / median);
    EXPECT_GE(point["product"]["repeat"], 3);
    EXPECT_LE(point["product"]["fastest_s"], median);
    EXPECT_GE(point["product"]["spread_s"], 0);
    const double padding = point["operator"]["padding"];
    EXPECT_NEAR(point["padding_share"].get<double>(), padding / (padding + nonzeros), 1e-15);
  }
  EXPECT_EQ(found["automatic"].size(), 2u);
  EXPECT_NE(finished_.out.find("boundary auto is "), std::string::npos) << finished_.out;
  EXPECT_NE(finished_.out.find("rule: 90 % of the rows"), std::string::npos) << finished_.out;
}

// A point's matrix takes the same memory in a sweep as in a job.
TEST_F(SweepTest, OperatorsEqualThoseOfSeparateJobs) {
  const std::string problem =
      "problem: {generate: {rows: 500, reference_per_row: 10}}\n"
      "solver: {states: 0}\n";
  const json found = swept(problem + "sweep: {storage.format: [csr, csb, hybrid], repeat: 1}\n");
  for (const json& point : found["points"]) {
    const std::string format = point["values"]["storage.format"];
    write_file(file("job.yaml"), problem);
    ASSERT_EQ(run({"job.yaml", "--force", "--set", "storage.format=" + format}).code, 0);
    EXPECT_EQ(json::parse(read_file(file("out/run.json")))["operator"], point["operator"]);
  }
}

TEST_F(SweepTest, APointThatFailsIsListedWithItsReason) {
  const json found = swept(
      "problem: {generate: {rows: 900, symmetric: true}}\n"
      "solver: {states: 1}\n"
      "sweep: {memory: [1 GiB, 40 KiB, plenty], storage.format: [csr, hybrid], repeat: 1}\n",
      71);
  const auto& points = found["points"];
  ASSERT_EQ(points.size(), 6u);
  for (int i : {0, 1}) {
    EXPECT_EQ(points[i]["passed"], true);
    EXPECT_TRUE(points[i]["reason"].is_null());
  }
  for (int i : {2, 3}) {
    EXPECT_EQ(points[i]["passed"], false);
    EXPECT_NE(points[i]["reason"].get<std::string>().find("of the memory budget of 40 KiB"),
              std::string::npos);
  }
  for (int i : {4, 5})
    EXPECT_NE(points[i]["reason"].get<std::string>().find("memory is 'plenty'; expected a size"),
              std::string::npos);
  EXPECT_NE(finished_.out.find("FAILED at 5, 6: sweep.yaml:3: memory is 'plenty'"),
            std::string::npos)
      << finished_.out;
  EXPECT_EQ(csv()[5].back(), points[4]["reason"].get<std::string>());
  const auto warning =
      finished_.err.find("this point will fail: 5, 6: sweep.yaml:3: memory is 'plenty'");
  EXPECT_LT(warning, finished_.err.find("wrote"));
  EXPECT_EQ(finished_.err.find("this point will fail: 3"), std::string::npos);  // known only there
}

TEST_F(SweepTest, AMatrixThatIsNotSymmetricFailsOnlyAtPointsThatAreSolved) {
  const json found = swept(
      "problem: {generate: {rows: 300, reference_per_row: 5}}\n"
      "sweep: {solver.states: [0, 1], repeat: 1}\n",
      65);
  EXPECT_EQ(found["points"][0]["passed"], true);
  EXPECT_EQ(found["points"][1]["passed"], false);
  EXPECT_GT(found["points"][1]["product"]["median_s"], 0);  // the product was measured
}

TEST_F(SweepTest, InputFilesHaveLabels) {
  const std::string molecule = configuration("n2_stretched.fcidump");
  const json found = swept(
      "space: {kind: cis, frozen: 1}\n"
      "sweep:\n"
      "  problem.fcidump:\n"
      "    - {value: " +
          molecule +
          ", label: 1.8 A}\n"
          "    - {value: missing.fcidump, label: far}\n"
          "  repeat: 1\n",
      66);
  const auto& points = found["points"];
  EXPECT_EQ(points[0]["values"]["problem.fcidump"], "1.8 A");
  EXPECT_EQ(points[0]["solved"], true);
  EXPECT_EQ(points[1]["values"]["problem.fcidump"], "far");
  EXPECT_NE(points[1]["reason"].get<std::string>().find("missing.fcidump"), std::string::npos);
  EXPECT_NE(finished_.out.find("1.8 A"), std::string::npos);
}

TEST_F(SweepTest, APartitionRuleIsAValueOfAnAxis) {
  const json found = swept(
      "problem: {lattice: {columns: 3}}\nsolver: {states: 0}\n"
      "sweep: {space.partition: [{lowest: 3}, none], repeat: 1}\n",
      0);
  const auto& points = found["points"];
  EXPECT_EQ(points[0]["values"]["space.partition"], "lowest: 3");
  EXPECT_EQ(points[1]["values"]["space.partition"], "none");
}

TEST_F(SweepTest, BackendsAndThreadsAreSweptToo) {
  std::string reason;
  const bool gpu = base::cuda::device_count(reason) > 0;
  const json found = swept(
      "problem: {generate: {rows: 400, reference_per_row: 8}}\n"
      "solver: {states: 0}\n"
      "sweep: {backend: [reference, openmp, cuda], threads: [1, 2], repeat: 1}\n",
      gpu ? 0 : 69);
  const auto& points = found["points"];
  EXPECT_EQ(points[0]["backend"]["name"], "reference");
  EXPECT_EQ(points[3]["backend"]["name"], "openmp");
  EXPECT_EQ(points[3]["backend"]["threads"], 2);
  EXPECT_EQ(points[4]["passed"], gpu);
}

TEST_F(SweepTest, TheCommandLineSweepsToo) {
  write_file(file("job.yaml"), std::string(kChain) + "sweep: {solver.states: [1, 2], repeat: 1}\n");
  const Finished finished =
      run({"sweep", "job.yaml", "--set", "sweep.solver.states=[2]", "--set",
           "sweep.storage.format=[csr, {value: sell, label: sliced}]", "--json", "-"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json points = json::parse(finished.out)["points"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1]["values"]["storage.format"], "sliced");
  EXPECT_EQ(points[1]["operator"]["format"], "sell");
  EXPECT_EQ(points[1]["energies"].size(), 2u);
}

TEST_F(SweepTest, NothingIsOverwrittenWithoutForce) {
  write_file(file("sweep.yaml"), std::string(kChain) + "sweep: {solver.states: [1], repeat: 1}\n");
  std::filesystem::create_directories(file("out"));
  write_file(file("out/sweep.csv"), "mine");
  const Finished refused = run({"sweep", "sweep.yaml"});
  EXPECT_EQ(refused.code, 73);
  EXPECT_NE(refused.err.find("sweep.csv"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(file("out/sweep.csv")), "mine");
  EXPECT_FALSE(std::filesystem::exists(file("out/sweep.json")));
  EXPECT_EQ(run({"sweep", "sweep.yaml", "--force"}).code, 0);
}

TEST_F(SweepTest, AConfigurationWithoutASweepExitsWith78) {
  write_file(file("job.yaml"), kChain);
  const Finished refused = run({"sweep", "job.yaml"});
  EXPECT_EQ(refused.code, 78);
  EXPECT_NE(refused.err.find("job.yaml: no key is swept"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(file("out")));
  EXPECT_EQ(run({"sweep", "nowhere.yaml"}).code, 66);
  EXPECT_EQ(run({"sweep"}).code, 2);
}

TEST_F(SweepTest, EveryExampleIsRun) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_CONFIGS))
    if (entry.path().extension() == ".yaml" &&
        read_file(entry.path()).find("\nsweep:") != std::string::npos)
      ++count;
  EXPECT_EQ(count, 1);
}

TEST_F(SweepTest, TheExampleRuns) {
  const Finished finished =
      run({"sweep", configuration("boundary-sweep.yaml"), "--set", "sweep.repeat=3"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json found = json::parse(read_file(file("out/boundary-sweep/sweep.json")));
  EXPECT_EQ(found["points"].size(), 10u);
  EXPECT_EQ(found["automatic"].size(), 1u);
}

}  // namespace
}  // namespace cisolve::test
