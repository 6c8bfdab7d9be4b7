#include "sparse/rows/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sparse/generate/generator.hpp"

namespace cisolve::sparse {
namespace {

/// Row i has the elements (i, column(i, k)) for k below length(i).
class Rule final : public RowSource {
 public:
  using Length = std::function<Index(Index row)>;
  using Place = std::function<Index(Index row, Index k)>;
  using Value = std::function<double(Index row, Index k)>;
  Rule(
      Index rows, Index columns, Length length, Place column,
      Value value = [](Index, Index) { return 1; })
      : shape_{rows, columns, 0, false},
        length_(std::move(length)),
        column_(std::move(column)),
        value_(std::move(value)) {}

  MatrixShape shape() const override { return shape_; }
  void count(Index first, std::span<Column> lengths) const override {
    for (Column& one : lengths) one = static_cast<Column>(length_(first++));
  }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    std::size_t next = 0;
    for (Index row = first; row < last; ++row)
      for (Index k = 0; k < length_(row); ++k, ++next) {
        columns[next] = static_cast<Column>(column_(row, k));
        values[next] = value_(row, k);
      }
    EXPECT_EQ(next, columns.size());
  }

 private:
  MatrixShape shape_;
  Length length_;
  Place column_;
  Value value_;
};

RowProfile profile(const RowSource& rows, int vectors = 1) {
  return sample_profile(rows, vectors, base::Backend::openmp(2));
}

Rule diagonal(Index rows) {
  return {rows, rows, [](Index) { return 1; }, [](Index row, Index) { return row; }};
}

TEST(RowProfile, NeighbouringRowsOfADiagonalShareCacheLines) {
  for (const int vectors : {1, 4}) {
    const RowProfile one = profile(diagonal(32 * 64 * 4), vectors);
    EXPECT_EQ(one.vectors, vectors);
    EXPECT_EQ(one.mean, 1);
    EXPECT_EQ(one.deviation, 0);
    EXPECT_EQ(one.fill, 1);
    EXPECT_NEAR(one.scatter, 8.5 / 32, 0.5 / 32);  // eight or nine cache lines
    EXPECT_EQ(one.nonzeros(), 32 * 64 * 4);
  }
}

// The row of a reference determinant, which sampled windows may miss.
TEST(RowProfile, TheFirstRowMayBeTheLongest) {
  const Rule rows(
      100'000, 100'000, [](Index row) { return row == 0 ? 77 : 3; },
      [](Index, Index k) { return k; });
  EXPECT_EQ(profile(rows).longest, 77);
  EXPECT_LT(profile(rows).mean, 3.1);
}

TEST(RowProfile, CountsDiagonalsAndTheirEmptyPlaces) {
  const Rule band(
      3200, 3200, [](Index row) { return row > 0 && row < 3199 ? 3 : 2; },
      [](Index row, Index k) { return row > 0 ? row - 1 + k : k; });
  const RowProfile full = profile(band);
  EXPECT_EQ(full.diagonals, 3);
  EXPECT_EQ(full.diagonal_fill, 1);
  EXPECT_TRUE(full.has_diagonals());
  const Rule halves(
      3200, 3200, [](Index) { return 2; },
      [](Index row, Index k) { return (row % 2 == 0 ? 2 : 0) + k; });
  EXPECT_FALSE(profile(halves).has_diagonals());
  const Rule alternating(
      3200, 3300, [](Index) { return 2; },
      [](Index row, Index k) { return row + k * (row % 2 == 0 ? 7 : 9); });
  EXPECT_EQ(profile(alternating).diagonals, 3);
  EXPECT_NEAR(profile(alternating).diagonal_fill, 2.0 / 3, 1e-12);
  EXPECT_FALSE(profile(alternating).has_diagonals());
  const Rule scattered(
      3200, 100'000, [](Index) { return 40; },
      [](Index row, Index k) { return row * 7919 % 3200 + k * k * 31 + k; });
  EXPECT_EQ(profile(scattered).diagonals, 0);
}

// Forty columns per row, and 25 rows without common columns: ten lines for each.
TEST(RowProfile, CountsALineOnceInAWindow) {
  const Rule rows(
      6400, 100'000, [](Index) { return 40; },
      [](Index row, Index k) { return 4000 * (row % 25) + k; });
  EXPECT_NEAR(profile(rows).scatter, 10.0 * 25 / (40 * 32), 1e-12);
}

TEST(RowProfile, UnevenRowsLeaveSlicesUnfilled) {
  const Rule rows(
      64 * 64, 64 * 64, [](Index row) { return row % 32 == 0 ? 33 : 1; },
      [](Index, Index k) { return k; });
  const RowProfile found = profile(rows);
  EXPECT_DOUBLE_EQ(found.mean, 2);
  EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(31.0));
  EXPECT_DOUBLE_EQ(found.fill, 64.0 / (33 * 32));
}

TEST(RowProfile, CountsTheTilesThatARowTouches) {
  const Rule rows(
      4096, 10 * RowProfile::kTileColumns, [](Index) { return 20; },
      [](Index, Index k) { return k / 2 * RowProfile::kTileColumns + k % 2; });
  EXPECT_DOUBLE_EQ(profile(rows).tile_parts, 0.5);
  const Rule even(
      4096, 10 * RowProfile::kTileColumns, [](Index) { return 40; },
      [](Index, Index k) { return k * RowProfile::kTileColumns / 4; });
  EXPECT_DOUBLE_EQ(profile(even).tile_parts, 0.25);
  EXPECT_DOUBLE_EQ(profile(even, 4).tile_parts, 1);  // tiles hold a fourth of the columns
}

// Three values off the diagonal, and on it a different one, or a different one in each row.
TEST(RowProfile, CountsTheValuesOnAndOffTheDiagonal) {
  constexpr Index kRows = 1 << 15;
  const auto rows = [](double own) {
    return Rule(
        kRows, kRows + 1, [](Index) { return 2; }, [](Index row, Index k) { return row + k; },
        [=](Index row, Index k) {
          return k == 0 ? 10 + own * static_cast<double>(row) : static_cast<double>(row % 3);
        });
  };
  const RowProfile few = profile(rows(0));
  EXPECT_EQ(few.values, 4);
  EXPECT_EQ(few.off_diagonal_values, 3);
  EXPECT_TRUE(few.has_codes());
  const RowProfile many = profile(rows(1));
  EXPECT_EQ(many.values, 257);
  EXPECT_EQ(many.off_diagonal_values, 3);
  EXPECT_TRUE(many.has_codes());
  const Rule different(
      kRows, kRows + 1, [](Index) { return 1; }, [](Index row, Index) { return row + 1; },
      [](Index row, Index) { return static_cast<double>(row); });
  EXPECT_EQ(profile(different).off_diagonal_values, 257);
  EXPECT_FALSE(profile(different).has_codes());
  EXPECT_FALSE(RowProfile().has_codes());  // no profile
}

// If a source makes fifty rows together, each window is within such a group.
TEST(RowProfile, ReadsRowsWithinTheChunksOfTheirSource) {
  class ChunkedRows final : public RowSource {
   public:
    MatrixShape shape() const override { return {5000, 5000, 0, false}; }
    Index grain() const override { return 50; }
    void count(Index first, std::span<Column> lengths) const override {
      EXPECT_EQ(first / 50, (first + std::ssize(lengths) - 1) / 50);
      std::ranges::fill(lengths, 1);
    }
    void fill(Index first, Index last, std::span<Column> columns,
              std::span<double> values) const override {
      EXPECT_EQ(last - first, RowProfile::kWindow);
      std::ranges::fill(columns, 0);
      std::ranges::fill(values, 1);
    }
  };
  EXPECT_EQ(profile(ChunkedRows()).mean, 1);
}

TEST(RowProfile, OfFewRowsCoversAllRows) {
  EXPECT_EQ(profile(diagonal(1)).mean, 1);
  EXPECT_EQ(profile(diagonal(31)).nonzeros(), 31);
  EXPECT_EQ(profile(diagonal(0)).nonzeros(), 0);
  const Rule empty(
      500, 500, [](Index) { return 0; }, [](Index, Index) { return 0; });
  EXPECT_EQ(profile(empty).mean, 0);
  EXPECT_EQ(profile(empty).fill, 1);
}

// Rows of half a million elements: windows have one row, to limit the bytes read at once.
TEST(RowProfile, ReadsNoMoreThanAFewMegabytesAtOnce) {
  constexpr Index kLong = 500'000;
  const base::Backend small = base::Backend::openmp(1, {.host_bytes = Index{8} << 20});
  const Rule rows(
      200, kLong, [](Index) { return kLong; }, [](Index, Index k) { return k; });
  EXPECT_EQ(sample_profile(rows, 1, small).mean, kLong);
}

TEST(RowProfile, IsTheSameWithAnyThreads) {
  const GeneratedRows rows({.rows = 5000, .reference_per_row = 20, .density = 0.01, .spread = 5},
                           base::Backend::openmp(2));
  const RowProfile one = sample_profile(rows, 1, base::Backend::openmp(1));
  const RowProfile two = sample_profile(rows, 1, base::Backend::openmp(2));
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.scatter, two.scatter);
  EXPECT_EQ(one.tile_parts, two.tile_parts);
  EXPECT_NEAR(one.mean, 20 + 0.01 * 0.9 * 5000, 5);
}

}  // namespace
}  // namespace cisolve::sparse
