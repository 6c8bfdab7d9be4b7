#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

// Plans of `check` for ranks, also on hypothetical machines.
namespace cisolve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class PlansOnRanksTest : public ProgramTest {
 protected:
  /// The plans in a check's record, and its output.
  json checked(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    arguments.insert(arguments.end(), {"--force", "--json", "check.json"});
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.code, 0) << finished.err;
    output_ = finished.out;
    return json::parse(read_file(file("check.json")));
  }
  static json plan_by(const json& record, const std::string& elements, const std::string& on) {
    for (const json& plan : record["ranks"]["plans"])
      if (plan["elements"] == elements && plan["on"] == on) return plan;
    ADD_FAILURE() << "no plan " << elements << " on the " << on;
    return {};
  }
  std::string output_;
};

TEST_F(PlansOnRanksTest, AreReportedForASingleRequestedBackend) {
  const std::string config = configuration("h2o-fci.yaml");
  EXPECT_FALSE(checked({config}).contains("ranks"));
  const json record =
      checked({config, "--ranks", "4", "--network", "12.5", "--set", "backend=openmp"});
  EXPECT_EQ(record["ranks"]["count"], 4);
  EXPECT_EQ(record["ranks"]["network_bytes_s"], 12.5e9);
  EXPECT_EQ(record["fits"], true) << "of one process, as without ranks";
  EXPECT_THAT(output_, HasSubstr("network 12.5 GB/s (given), latency"));
  EXPECT_THAT(output_, HasSubstr("link 4 GB/s (built in)"));
  const double rows = record["ranks"]["rows"];
  const json plan = plan_by(record, "factorised", "host");
  EXPECT_EQ(plan["fits"], true);
  EXPECT_NEAR(plan["sent_bytes"].get<double>(), 2 * 8 * (0.75 + 2 * 0.75 / 4) * rows, 100)
      << "of two vectors";
  EXPECT_EQ(plan["sent_bytes"], plan["received_bytes"]);
  EXPECT_NEAR(plan["efficiency"].get<double>(),
              plan["computed_s"].get<double>() / plan["product_s"].get<double>(), 1e-12);
  const json& alone = record["plans"];
  const json stored = plan_by(record, "precomputed", "host");
  const auto whole = std::ranges::find_if(alone, [&](const json& one) {
    return one["elements"] == "precomputed" && one["format"] == stored["format"];
  });
  ASSERT_NE(whole, alone.end());
  EXPECT_NEAR(stored["matrix_bytes"].get<double>(), (*whole)["matrix_bytes"].get<double>() / 4,
              5e6);
}

TEST_F(PlansOnRanksTest, OfOtherGpuModelsUseTheirMemory) {
  const std::string config = configuration("h2o-fci.yaml");
  const json record = checked({config, "--ranks", "16", "--card", "h200"});
  EXPECT_EQ(record["ranks"]["card"], "h200");
  const json plan = plan_by(record, "factorised", "device");
  EXPECT_EQ(plan["limit_bytes"], (std::int64_t{139} << 30) / 20 * 19);
  const json less =
      checked({config, "--ranks", "16", "--card", "h200", "--set", "device_memory=1 MiB"});
  EXPECT_THAT(plan_by(less, "factorised", "device")["missing"].get<std::string>(),
              HasSubstr("each rank lacks"));
  EXPECT_THAT(output_, HasSubstr("DOES NOT FIT; each rank lacks"));
  const Finished unknown = run({"check", config, "--ranks", "16", "--card", "h300"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("expected one of h100, h200"));
}

// Estimated from counts of strings; no string is built.
TEST_F(PlansOnRanksTest, OfASpaceTooLargeToBuildAreEstimated) {
  write_file(file("a.yaml"), "problem: {lattice: {columns: 24}}\nmemory: 1 GiB\n");
  const json record = checked({"a.yaml", "--ranks", "1024", "--card", "h200"});
  constexpr double kRows = 7312459672336;
  EXPECT_EQ(record["ranks"]["rows"], kRows);
  const json plan = plan_by(record, "factorised", "device");
  EXPECT_GE(plan["whole_bytes"].get<double>(), 8 * kRows);
  // A rank sends its parity-basis coefficients to all others, and to each the image elements of its
  // functions.
  EXPECT_NEAR(plan["sent_bytes"].get<double>() / (4 * kRows * 1023 / 1024 * (1 + 1.0 / 1024)), 1,
              1e-9);
  EXPECT_THAT(plan["missing"].get<std::string>(),
              HasSubstr("an alpha string has 2,704,156 beta strings"));
  EXPECT_THAT(output_, Not(HasSubstr("factorised on the device: fits")));
}

}  // namespace
}  // namespace cisolve::test
