#include "sparse/stored/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sparse/stored/formats.hpp"
#include "tests/support/rates.hpp"

namespace cisolve::sparse {
namespace {

constexpr RowProfile kRatedRows{.rows = 1'000'000,
                                .columns = 1'000'000,
                                .mean = 100,
                                .deviation = 10,
                                .fill = 0.9,
                                .scatter = 0.2,
                                .tile_parts = 0.3,
                                .diagonals = 110,
                                .diagonal_fill = 0.9};

template <class Change>
double seconds(std::string_view format, Change change) {
  RowProfile rows = kRatedRows;
  DeviceRates device = test::kH200;
  change(rows, device);
  return format_named(format).product_seconds(rows, device);
}

double seconds(std::string_view format) {
  return seconds(format, [](RowProfile&, DeviceRates&) {});
}

TEST(ProductSeconds, AreCloseToTheMemoryBound) {
  int rated = 0;
  for (const Format& format : formats()) {
    if (format.product_seconds == nullptr) continue;
    ++rated;
    const double least = format.element_bytes * kRatedRows.nonzeros() / test::kH200.bytes;
    EXPECT_GT(seconds(format.name), least) << format.name;
    // Half of a diagonal matrix may be stored.
    EXPECT_LT(seconds(format.name), (format.name == "diagonal" ? 4 : 2) * least) << format.name;
  }
  EXPECT_EQ(rated, 4);
}

TEST(ProductSeconds, FallWithTheRateOfTheMemory) {
  for (const char* format : {"csr", "sell", "tiled"})
    EXPECT_NEAR(seconds(format, [](RowProfile&, DeviceRates& device) { device.bytes /= 4; }) /
                    seconds(format),
                4, 0.2)
        << format;
}

// A device with double precision at 1/64 of its single-precision rate.
TEST(ProductSeconds, AreBoundByDoublePrecisionWhereItIsSlow) {
  const auto slow = [](RowProfile& rows, DeviceRates& device) {
    rows.vectors = 4;
    device.multiply_adds = 1e11;
  };
  for (const char* format : {"csr", "tiled"})
    EXPECT_NEAR(seconds(format, slow), 4 * kRatedRows.nonzeros() / 1e11, 1e-4) << format;
  EXPECT_NEAR(seconds("sell", slow), 4 * kRatedRows.nonzeros() / kRatedRows.fill / 1e11, 1e-4);
}

TEST(ProductSeconds, GrowWithWhatTheFormatReads) {
  const auto scattered = [](RowProfile& rows, DeviceRates&) { rows.scatter = 1; };
  const auto uneven = [](RowProfile& rows, DeviceRates&) { rows.fill = 0.3; };
  const auto padded = [](RowProfile& rows, DeviceRates&) { rows.fill = 0.7; };
  const auto far = [](RowProfile& rows, DeviceRates& device) {
    rows.scatter = 1;
    device.cache_bytes = 1'000'000;
  };
  const auto torn = [](RowProfile& rows, DeviceRates&) {
    rows.vectors = 4;
    rows.tile_parts = 0.9;
  };
  const auto four = [](RowProfile& rows, DeviceRates&) { rows.vectors = 4; };
  for (const char* format : {"csr", "sell"}) {
    EXPECT_GT(seconds(format, scattered), 1.5 * seconds(format)) << format;
    EXPECT_GT(seconds(format, far), 1.5 * seconds(format, scattered)) << format;
    EXPECT_EQ(seconds(format, torn), seconds(format, four)) << format;
  }
  EXPECT_GT(seconds("sell", uneven), 2 * seconds("sell"));
  EXPECT_NEAR(seconds("sell", padded) / seconds("sell"), 0.9 / 0.7, 0.03);
  EXPECT_EQ(seconds("csr", uneven), seconds("csr"));
  EXPECT_EQ(seconds("tiled", scattered), seconds("tiled"));
  EXPECT_GT(seconds("tiled", torn), 1.2 * seconds("tiled", four));
}

// A sampled window indicates few diagonals that are nearly full.
TEST(ProductSeconds, ArePredictedForPackedDiagonals) {
  const auto of = [](Index diagonals, double fill) {
    return seconds("diagonal", [=](RowProfile& rows, DeviceRates&) {
      rows.diagonals = diagonals;
      rows.diagonal_fill = fill;
    });
  };
  EXPECT_LT(of(110, 1), seconds("sell"));
  EXPECT_LT(of(110, 1), of(110, 0.9));
  EXPECT_TRUE(std::isinf(of(110, 0.5)));
  EXPECT_TRUE(std::isinf(of(0, 1)));
}

// Five bytes per element in place of twelve, if there are few different values.
TEST(ProductSeconds, ArePredictedForCodedValuesIfValuesAreFew) {
  const auto coded = [](Index values, Index off_diagonal, int vectors = 1) {
    RowProfile rows = kRatedRows;
    rows.scatter = 0.05;
    rows.fill = 1;
    rows.vectors = vectors;
    rows.values = values;
    rows.off_diagonal_values = off_diagonal;
    return coded_sliced_seconds(rows, test::kH200) / sliced_seconds(rows, test::kH200);
  };
  EXPECT_NEAR(coded(9, 9), 6.5 / 12.2, 0.03);  // bound by the gather of x
  EXPECT_EQ(coded(257, 255), coded(9, 9));
  EXPECT_EQ(coded(256, 256), coded(9, 9));
  EXPECT_TRUE(std::isinf(coded(257, 256)));
  EXPECT_EQ(coded(9, 9, 16), 1);
}

TEST(ProductSeconds, PreferCodedValuesIfNothingIsFaster) {
  const auto ranked = [](int vectors, Index values) {
    RowProfile rows = kRatedRows;
    rows.vectors = vectors;
    rows.mean = 20;
    rows.diagonals = 0;
    rows.values = rows.off_diagonal_values = values;
    std::vector<std::string> texts;
    for (const RatedFormat& rated : rank_formats(rows, test::kH200))
      texts.push_back(display_name(rated.format->name, rated.values));
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(ranked(1, 9), (Texts{"sell, coded values", "sell", "csr"}));
  EXPECT_EQ(ranked(16, 9), (Texts{"sell, coded values", "sell", "csr"}));
  EXPECT_EQ(ranked(1, 257), (Texts{"sell", "csr"}));
}

// With few long rows, one thread per row leaves the device idle.
TEST(ProductSeconds, DependOnTheLongestRowOfASlice) {
  const auto few = [](RowProfile& rows, DeviceRates&) {
    rows.rows = rows.columns = 5000;
    rows.mean = 200;
  };
  EXPECT_GT(seconds("sell", few), 2 * seconds("csr", few));
}

// However short the others are.
TEST(ProductSeconds, DependOnTheLongestRow) {
  const auto uneven = [](RowProfile& rows, DeviceRates&) { rows.longest = 10'000; };
  EXPECT_NEAR(seconds("sell", uneven), 4e-3, 1e-4);
  EXPECT_EQ(seconds("csr", uneven), seconds("csr"));
}

// Profiles of the matrices of bench_products, and the formats that were measured as fastest.
TEST(ProductSeconds, ChooseTheFastestMeasuredFormat) {
  const RowProfile water{.rows = 356'916,
                         .columns = 356'916,
                         .mean = 593,
                         .deviation = 174,
                         .fill = 0.65,
                         .scatter = 0.175,
                         .tile_parts = 0.058};
  RowProfile plane{.rows = 853'776,
                   .columns = 853'776,
                   .mean = 20.1,
                   .deviation = 2.7,
                   .fill = 0.84,
                   .scatter = 0.22,
                   .tile_parts = 0.4};
  const RowProfile graph{.rows = 1'382'908,
                         .columns = 1'382'908,
                         .mean = 12.2,
                         .deviation = 37,
                         .fill = 0.1,
                         .scatter = 1,
                         .tile_parts = 0.98};
  EXPECT_EQ(test::quickest_format(water), "tiled");
  EXPECT_EQ(test::quickest_format(plane), "sell");
  plane.vectors = 4;
  EXPECT_EQ(test::quickest_format(plane), "sell");
  EXPECT_EQ(test::quickest_format(graph), "csr");
}

// Too few elements or too short rows do not suit tiles, nor do very uneven ones.
TEST(ProductSeconds, ArePredictedForTilesIfThereAreTiles) {
  const auto infinite = [](auto change) {
    return std::isinf(seconds("tiled", [&](RowProfile& rows, DeviceRates&) { change(rows); }));
  };
  EXPECT_FALSE(infinite([](RowProfile&) {}));
  EXPECT_TRUE(infinite([](RowProfile& rows) { rows.rows = 20'000; }));
  EXPECT_TRUE(infinite([](RowProfile& rows) { rows.mean = 30; }));
  EXPECT_FALSE(infinite([](RowProfile& rows) {
    rows.mean = 30;
    rows.columns = 4000;
  }));
  const auto uneven = [](RowProfile& rows, DeviceRates&) { rows.deviation = 300; };
  EXPECT_GT(seconds("tiled", uneven), 2 * seconds("tiled"));
}

TEST(DeviceRates, UseThePropertiesOfTheDevice) {
  base::cuda::DeviceInfo info;
  info.memory_bytes = 1e12;
  info.multiply_adds = 3e11;
  info.cache_bytes = 7;
  info.multiprocessors = 9;
  const DeviceRates rates = DeviceRates::of(info);
  EXPECT_NEAR(rates.bytes, 0.87e12, 1);
  EXPECT_EQ(rates.multiply_adds, 3e11);
  EXPECT_EQ(rates.cache_bytes, 7);
  EXPECT_EQ(rates.multiprocessors, 9);
  EXPECT_GT(DeviceRates::of({}).bytes, 0);
  EXPECT_GT(DeviceRates::of({}).multiply_adds, 0);
}

}  // namespace
}  // namespace cisolve::sparse
