#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/rates.hpp"

// The choice of `storage.format: auto` on a device, compared with measured products of our formats:
// the records of bench_products, which also give the profiles of the rows.
namespace cisolve::sparse {
namespace {

using nlohmann::json;

RowProfile profile_of(const json& matrix, const json& record) {
  return {.rows = matrix["rows"],
          .columns = matrix["columns"],
          .vectors = record["vectors"],
          .mean = record["mean"],
          .deviation = record["deviation"],
          .fill = record["fill"],
          .scatter = record["scatter"],
          .tile_parts = record["tile_parts"],
          .values = record["values"],
          .off_diagonal_values = record["values_beside"]};
}

/// Seconds of our formats' products, by name.
std::map<std::string, double> measured(const json& matrix, int vectors) {
  std::map<std::string, double> found;
  for (const json& kernel : matrix["kernels"]) {
    const std::string name = kernel["kernel"];
    if (kernel["vectors"] != vectors || !kernel.contains("seconds")) continue;
    for (const Format& format : formats())
      for (const char* coded : {"", "-coded"})
        if (name == base::concat("cuda/", format.name, coded))
          found[base::concat(format.name, coded)] = kernel["seconds"]["median"];
  }
  return found;
}

TEST(AutoChoice, IsWithinAFewPerCentOfTheBestFormat) {
  int compared = 0;
  std::ifstream file(std::filesystem::path(CISOLVE_SOURCES) /
                     "bench/results/products_lattices_h200.json");
  ASSERT_TRUE(file);
  const json record = json::parse(file);
  for (const json& matrix : record["matrices"])
    for (const json& entry : matrix["profiles"]) {
      const RowProfile profile = profile_of(matrix, entry);
      const auto seconds = measured(matrix, profile.vectors);
      ASSERT_GT(seconds.size(), 3u);
      const auto best =
          std::ranges::min_element(seconds, {}, [](const auto& one) { return one.second; });
      const std::string chosen = test::quickest_format(profile);
      EXPECT_LE(seconds.at(chosen), 1.05 * best->second)
          << matrix["matrix"] << ", " << profile.vectors << " vectors: " << chosen << " where "
          << best->first << " is quicker";
      ++compared;
    }
  EXPECT_EQ(compared, 22);
}

}  // namespace
}  // namespace cisolve::sparse
