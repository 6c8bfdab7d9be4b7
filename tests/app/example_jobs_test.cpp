#include <nlohmann/json.hpp>

#include "program.hpp"

// Every file in configs/ runs as it is, and its record agrees with itself.
namespace cisolve::test {
namespace {

using nlohmann::json;

class ExampleJobTest : public ProgramTest {
 protected:
  json run_job(const std::string& name) {
    const Finished finished = run({configuration(name + ".yaml")});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("verified: "), std::string::npos) << finished.out;
    seconds_ = finished.seconds;
    json record = json::parse(read_file(file("out/" + name + "/run.json")));
    expect_consistent(record);
    return record;
  }

  static void expect_consistent(const json& record) {
    EXPECT_EQ(record["schema"], 1);
    EXPECT_EQ(record["program"], "ci-solve");
    EXPECT_EQ(record["verification"]["passed"], true);
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

  double seconds_ = 0;
};

TEST_F(ExampleJobTest, Quickstart) {
  const json record = run_job("quickstart");
  EXPECT_EQ(record["problem"]["rows"], 4096);
  EXPECT_EQ(record["problem"]["symmetric"], true);
  EXPECT_EQ(record["operator"]["format"], "hybrid");
  EXPECT_EQ(record["operator"]["path"], "precomputed");
  EXPECT_EQ(run({configuration("quickstart.yaml")}).code, 73);
  EXPECT_EQ(run({configuration("quickstart.yaml"), "--force"}).code, 0);
}

TEST_F(ExampleJobTest, MatrixFile) {
  const json record = run_job("matrix-file");
  EXPECT_EQ(record["operator"]["nonzeros"], 22);
  EXPECT_EQ(record["operator"]["policy"], "column");
  EXPECT_EQ(record["statistics"]["reference"]["nonzeros"], 12);
  EXPECT_EQ(record["product"]["vectors"], 4);
}

TEST_F(ExampleJobTest, PaperMatrix) {
  const json record = run_job("paper-matrix");
  EXPECT_EQ(record["statistics"]["reference"]["nonzeros"], 21463040);
  EXPECT_EQ(record["operator"]["boundary"], 655);
  EXPECT_GE(record["statistics"]["whole"]["longest_row"], 1050);
  EXPECT_LE(record["statistics"]["whole"]["longest_row"], 1090);
}

TEST_F(ExampleJobTest, NoneIsWithoutATest) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CISOLVE_CONFIGS))
    if (entry.path().extension() == ".yaml") ++count;
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace cisolve::test
