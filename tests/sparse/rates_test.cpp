#include "sparse/stored/rates.hpp"

#include <gtest/gtest.h>

#include "sparse/stored/formats.hpp"

namespace cisolve::sparse {
namespace {

constexpr DeviceRates kDevice{
    .bytes = 4e12, .multiply_adds = 1e13, .cache_bytes = 50'000'000, .shared_bytes = 227 * 1024};

constexpr RowProfile kRows{.rows = 1'000'000,
                           .columns = 1'000'000,
                           .mean = 100,
                           .deviation = 10,
                           .fill = 0.9,
                           .row_lines = 0.8,
                           .slice_lines = 0.6,
                           .window_lines = 0.5,
                           .tile_parts = 0.3};

template <class Change>
double seconds(std::string_view format, Change change, DeviceRates device = kDevice) {
  RowProfile rows = kRows;
  change(rows, device);
  return product_seconds(*format_named(format).cost, rows, device);
}

double seconds(std::string_view format) {
  return seconds(format, [](RowProfile&, DeviceRates&) {});
}

TEST(ProductSeconds, AreOfTheOrderOfWhatMemoryAllows) {
  for (const Format& format : formats()) {
    if (format.cost == nullptr) continue;
    const double least = format.element_bytes * kRows.nonzeros() / kDevice.bytes;
    EXPECT_GT(seconds(format.name), 0.9 * least) << format.name;
    EXPECT_LT(seconds(format.name), 4 * least) << format.name;
  }
}

TEST(ProductSeconds, FallWithTheRateOfTheMemory) {
  for (const char* format : {"csr", "sell", "tiled"})
    EXPECT_NEAR(seconds(format, [](RowProfile&, DeviceRates& device) { device.bytes /= 4; }) /
                    seconds(format),
                4, 0.2)
        << format;
}

// A device whose double precision is a 64th of the single one.
TEST(ProductSeconds, AreBoundByDoublePrecisionWhereItIsSlow) {
  const auto slow = [](RowProfile& rows, DeviceRates& device) {
    rows.vectors = 4;
    device.multiply_adds = 1e11;
  };
  EXPECT_NEAR(seconds("tiled", slow), 4 * kRows.nonzeros() / 1e11, 1e-4);
  EXPECT_NEAR(seconds("sell", slow), 4 * kRows.nonzeros() / kRows.fill / 1e11, 1e-4);
}

TEST(ProductSeconds, GrowWithWhatTheFormatReads) {
  const auto scattered = [](RowProfile& rows, DeviceRates&) { rows.row_lines = 1; };
  const auto uneven = [](RowProfile& rows, DeviceRates&) { rows.fill = 0.3; };
  const auto far = [](RowProfile&, DeviceRates& device) { device.cache_bytes = 1'000'000; };
  const auto torn = [](RowProfile& rows, DeviceRates&) { rows.tile_parts = 0.9; };
  EXPECT_GT(seconds("csr", scattered), seconds("csr"));
  EXPECT_EQ(seconds("sell", scattered), seconds("sell"));
  EXPECT_GT(seconds("sell", uneven), 2 * seconds("sell"));
  EXPECT_EQ(seconds("csr", uneven), seconds("csr"));
  EXPECT_GT(seconds("csr", far), seconds("csr"));
  EXPECT_EQ(seconds("csr", torn), seconds("csr"));
  EXPECT_GT(seconds("tiled", torn), seconds("tiled"));
}

TEST(DeviceRates, TakeWhatTheDeviceTells) {
  base::cuda::DeviceInfo info;
  info.memory_bytes = 1e12;
  info.multiply_adds = 3e11;
  info.cache_bytes = 7;
  info.shared_bytes = 9;
  const DeviceRates rates = DeviceRates::of(info);
  EXPECT_NEAR(rates.bytes, 0.87e12, 1);
  EXPECT_EQ(rates.multiply_adds, 3e11);
  EXPECT_EQ(rates.cache_bytes, 7);
  EXPECT_EQ(rates.shared_bytes, 9);
  EXPECT_GT(DeviceRates::of({}).bytes, 0);
  EXPECT_GT(DeviceRates::of({}).multiply_adds, 0);
}

}  // namespace
}  // namespace cisolve::sparse
