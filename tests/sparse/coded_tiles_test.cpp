#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "base/text.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/plan.hpp"
#include "sparse/tiled/magnitude_codes.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tiles.hpp"

// Tiles with values stored as indices of magnitudes.
namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;
using test::elements_of;
using testing::ElementsAre;

const base::Backend kCodedHost = base::Backend::openmp(2);

TileGeometry coded_cells(Index tile_columns, int vectors = 1) {
  return {.vectors = vectors,
          .blocks = 3,
          .largest_tile = tile_columns,
          .keep_sparse_cells = true,
          .values = ValueEncoding::coded};
}

/// Another source's rows, most values rounded to one of few magnitudes.
class RoundedRows final : public RowSource {
 public:
  explicit RoundedRows(const RowSource& rows) : rows_(rows) {}
  MatrixShape shape() const override { return rows_.shape(); }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<Column> lengths) const override { rows_.count(first, lengths); }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    rows_.fill(first, last, columns, values);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (columns[k] % 16 != 3)
        values[k] = std::copysign(std::ceil(std::abs(values[k]) * 8), values[k]);
  }

 private:
  const RowSource& rows_;
};

/// Compares bits, so that the signs of zeros count.
void expect_same_elements(const Tiled& tiled, const Elements& matrix) {
  const auto found = elements_of(tiled);
  ASSERT_EQ(found.size(), matrix.at.size());
  for (auto [mine, expected] = std::pair(found.begin(), matrix.at.begin()); mine != found.end();
       ++mine, ++expected) {
    ASSERT_EQ(mine->first, expected->first);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(mine->second),
              std::bit_cast<std::uint64_t>(expected->second))
        << mine->second;
  }
}

TEST(CodedTiles, HoldEveryElementToTheBit) {
  for (const auto& [name, random] : test::awkward_matrices())
    for (const int vectors : {1, 2, 4, 8}) {
      SCOPED_TRACE(base::concat(name, ", ", vectors, " vectors"));
      const Elements matrix = test::with_few_magnitudes(random, 30, 9);
      const Tiled tiled = build_tiled(ElementRows(matrix), coded_cells(300, vectors), kCodedHost);
      expect_same_elements(tiled, matrix);
      EXPECT_EQ(tiled.nonzeros(), std::ssize(matrix.at));
      if (tiled.values() == ValueEncoding::coded) {
        EXPECT_EQ(tiled.units.size(), 0);
      }
    }
}

TEST(CodedTiles, OnlyElementsWithoutACodeAreInTheTail) {
  const Elements matrix =
      test::with_few_magnitudes(test::random_elements(std::vector<Index>(60, 90), 400, 2), 30, 9);
  const Tiled tiled = build_tiled(ElementRows(matrix), coded_cells(100), kCodedHost);
  ASSERT_EQ(tiled.values(), ValueEncoding::coded);
  EXPECT_EQ(tiled.magnitudes.size(), 30);
  const Index others = std::ranges::count_if(matrix.at, [](const auto& element) {
    return std::abs(element.second) < 1;  // the magnitudes are larger
  });
  EXPECT_EQ(tiled.tail.nonzeros(), others);
  EXPECT_GT(others, std::ssize(matrix.at) / 9);
}

TEST(CodedTiles, ArePlainIfCodesWouldNotHelp) {
  const ElementRows rows(test::random_elements(std::vector<Index>(60, 90), 400, 2));
  TileGeometry plain = coded_cells(100);
  plain.values = ValueEncoding::plain;
  test::expect_same_tiles(build_tiled(rows, coded_cells(100), kCodedHost),
                          build_tiled(rows, plain, kCodedHost));
  const FormatOptions options{.format = "tiled", .block_size = 100, .values = ValueEncoding::coded};
  EXPECT_EQ(build_matrix(rows, options, kCodedHost)->description().format, "tiled");
}

TEST(CodedTiles, SayThatTheirValuesAreCoded) {
  const ElementRows rows(
      test::with_few_magnitudes(test::random_elements(std::vector<Index>(60, 90), 400, 2), 30, 9));
  const FormatOptions options{.format = "tiled", .block_size = 100, .values = ValueEncoding::coded};
  const auto matrix = build_matrix(rows, options, kCodedHost);
  EXPECT_EQ(matrix->description().format, "tiled, coded values");
  std::ostringstream text;
  matrix->write_components(text);
  EXPECT_NE(text.str().find("\nValueCode = "), std::string::npos);
  EXPECT_NE(text.str().find("\nMagnitude = "), std::string::npos);
}

TEST(CodedTiles, TheMostFrequentMagnitudeIsTheFirst) {
  const double sample[] = {3, -1, 7, -3, 3, 0, 0, 5, -7, 0, 0, 7, 2};
  const MagnitudeCodes found = choose_codes({}, sample);
  EXPECT_THAT(found.magnitudes, ElementsAre(3, 7));  // the others, except zero, occur once
  EXPECT_DOUBLE_EQ(found.share, 6.0 / 13);
  const double common[] = {0.5, 1, 3, 7};
  const MagnitudeCodes known = choose_codes(common, sample);
  EXPECT_THAT(known.magnitudes, ElementsAre(3, 7, 1, 0.5));
  EXPECT_DOUBLE_EQ(known.share, 7.0 / 13);
}

TEST(CodedTiles, HaveNoMoreMagnitudesThanCodes) {
  std::vector<double> sample;
  for (Index k = 1; k <= kMostMagnitudes + 5; ++k)
    for (int twice = 0; twice < 2; ++twice) sample.push_back(static_cast<double>(k));
  const MagnitudeCodes codes = choose_codes({}, sample);
  ASSERT_EQ(std::ssize(codes.magnitudes), kMostMagnitudes);
  EXPECT_EQ(codes.magnitudes.back(), static_cast<double>(kMostMagnitudes));
  EXPECT_LT(codes.share, 1);
  const ValueNumbers numbers(codes.magnitudes, kCodedHost);
  EXPECT_EQ(numbers.coder().code_of(-static_cast<double>(kMostMagnitudes)), 0xffff);
  EXPECT_EQ(numbers.coder().code_of(static_cast<double>(kMostMagnitudes + 1)), -1);
}

TEST(CodedTiles, ASampleIsSpreadOverAllRows) {
  std::vector<Index> offsets{0};
  for (Index row = 0; row < 40'000; ++row) offsets.push_back(offsets.back() + 50 + row % 7);
  const std::vector<SampledRange> parts = sampled_rows(offsets);
  ASSERT_GT(parts.size(), 10U);
  EXPECT_LT(parts.front().first, 1'000);
  EXPECT_GT(parts.back().last, 39'000);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    EXPECT_LT(parts[k].first, parts[k].last);
    if (k > 0) {
      EXPECT_GE(parts[k].first, parts[k - 1].last);
    }
  }
  offsets.resize(101);
  const std::vector<SampledRange> all = sampled_rows(offsets);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].last - all[0].first, 100);
}

TEST(CodedTiles, RareMagnitudesAreStoredToo) {
  const Elements matrix =
      test::with_few_magnitudes(test::random_elements(std::vector<Index>(400, 90), 400, 2), 700, 9);
  TileGeometry geometry = coded_cells(100);
  geometry.shared_capacity = 600;
  const Tiled tiled = build_tiled(ElementRows(matrix), geometry, kCodedHost);
  EXPECT_EQ(tiled.near_magnitudes, 300);
  EXPECT_GT(tiled.magnitudes.size(), 600);
  EXPECT_LE(2 * tiled.tile_columns + tiled.largest_block + tiled.near_magnitudes,
            geometry.shared_capacity);
  expect_same_elements(tiled, matrix);
}

TEST(CodedTiles, TakeAboutFourBytesAnElement) {
  const Elements matrix = test::with_few_magnitudes(
      test::random_elements(std::vector<Index>(700, 700), 900, 2), 30, 40);
  const ElementRows rows(matrix);
  const FormatOptions options{.format = "tiled", .block_size = 900, .values = ValueEncoding::coded};
  const Index before = kCodedHost.memory().used();
  const auto stored = build_matrix(rows, options, kCodedHost);
  const MemoryUse memory = stored->memory();
  EXPECT_EQ(kCodedHost.memory().used() - before, memory.held);
  const auto elements = static_cast<double>(stored->nonzeros());
  EXPECT_LT(static_cast<double>(memory.held), 5.2 * elements);
  EXPECT_LE(memory.by_formula, memory.held);
}

TEST(CodedTiles, ArePlannedToAFewPerCent) {
  const GeneratedRows generated(
      {.rows = 20'000, .reference_per_row = 100, .density = 0.004, .spread = 5}, kCodedHost);
  const RoundedRows rows(generated);
  const auto lengths = row_lengths(rows, kCodedHost);
  const FormatOptions options{.format = "tiled", .values = ValueEncoding::coded};
  const auto built = build_matrix(rows, options, kCodedHost);
  ASSERT_EQ(built->values(), ValueEncoding::coded);
  const PlannedFormat plan = plan_format(rows, lengths.span(), options, kCodedHost);
  const auto held = static_cast<double>(built->memory().held);
  EXPECT_NEAR(static_cast<double>(plan.memory.held), held, 0.1 * held);
}

TEST(CodedTiles, CodesAndMagnitudesAreCounted) {
  EXPECT_EQ(coded_tiled_bytes(100, 2, 3, 4, 50) - coded_tiled_bytes(0, 2, 3, 4, 0),
            100 * 4 + 50 * 8);
  EXPECT_EQ(coded_tiled_bytes(0, 2, 3, 4, 0), tiled_bytes(0, 2, 3, 4));
}

}  // namespace
}  // namespace cisolve::sparse
