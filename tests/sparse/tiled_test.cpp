#include "sparse/tiled/tiled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/stored/matrix.hpp"
#include "sparse/tiled/tile_packing.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tiles.hpp"

namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;
using test::elements_of;

/// A source that is never asked for rows of two of its chunks at once: it would compute both to use
/// a part of each.
class StrictRows final : public RowSource {
 public:
  explicit StrictRows(const Elements& elements) : rows_(elements) {}
  MatrixShape shape() const override { return rows_.shape(); }
  Index grain() const override { return rows_.grain(); }
  void count(Index first, std::span<Column> lengths) const override { rows_.count(first, lengths); }
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    EXPECT_EQ(first / grain(), (last - 1) / grain());
    rows_.fill(first, last, columns, values);
  }

 private:
  ElementRows rows_;
};

Tiled build(const Elements& matrix, Index tile_columns, int vectors = 1) {
  const TileGeometry geometry{
      .vectors = vectors, .blocks = 3, .largest_tile = tile_columns, .keep_sparse_cells = true};
  return build_tiled(ElementRows(matrix), geometry, base::Backend::openmp(2));
}

TEST(Tiled, HoldsEveryElementOnce) {
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    SCOPED_TRACE(name);
    for (const int vectors : {1, 2, 4, 8})
      EXPECT_EQ(elements_of(build(matrix, 300, vectors)), matrix.at);
  }
}

// Eight bits of a code are the column, so a jump covers 255 rows and a step fewer.
TEST(Tiled, JumpsOverManyEmptyRows) {
  std::vector<Index> lengths(20'000, 0);
  for (const Index row : {0, 254, 509, 765, 1276, 9'000, 19'999}) lengths[row] = 2;
  const Elements matrix = test::random_elements(lengths, 200, 4);
  const Tiled tiled = build(matrix, 200);
  EXPECT_EQ(tiled.code.column_bits, 8);
  EXPECT_EQ(elements_of(tiled), matrix.at);
}

TEST(Tiled, ReadsTheRowsByTheChunksOfTheirSource) {
  const Elements matrix = test::random_elements(std::vector<Index>(400, 60), 300, 5);
  const TileGeometry geometry{.blocks = 3, .largest_tile = 300, .keep_sparse_cells = true};
  const Tiled tiled = build_tiled(StrictRows(matrix), geometry, base::Backend::openmp(2));
  ASSERT_EQ(tiled.view().blocks, 3);
  EXPECT_NE(tiled.block_rows[1] % 7, 0) << "no block begins within a chunk";
  EXPECT_EQ(elements_of(tiled), matrix.at);
}

TEST(Tiled, JumpsNoFartherThanItsBitsAllow) {
  for (const Index row : {253, 254, 255, 256, 257, 300, 509, 510, 511, 512, 766}) {
    std::vector<Index> lengths(1000, 0);
    lengths[0] = 1;
    lengths[row] = 200;
    const Elements matrix = test::random_elements(lengths, 200, 4);
    const TileGeometry geometry{.blocks = 1, .largest_tile = 200, .keep_sparse_cells = true};
    const Tiled tiled = build_tiled(ElementRows(matrix), geometry, base::Backend::openmp(2));
    ASSERT_EQ(tiled.code.column_bits, 8);
    EXPECT_EQ(elements_of(tiled), matrix.at) << row;
  }
}

/// Average over all steps of the number of lanes that read x at once from the same bank. For one
/// vector these are sixteen neighbouring lanes, for four vectors every other one of eight: as many
/// as there are banks. Random columns would give 3.1 and 2.1.
double lanes_at_a_bank(const Tiled& tiled) {
  const int together = tiled.vectors == 1 ? 16 : 8;
  const int phases = tiled.vectors == 1 ? 1 : 2;
  const int banks = together / phases;
  Index most = 0;
  Index reads = 0;
  for (const TileUnit& unit : tiled.units.span())
    for (int k = 0; k < kUnitWidth; ++k)
      for (int first = 0; first < kTileLanes; first += together)
        for (int phase = 0; phase < phases; ++phase, ++reads) {
          Index lanes[16] = {};
          for (int lane = first + phase; lane < first + together; lane += phases)
            ++lanes[tiled.code.column(unit.codes[lane][k]) % banks];
          most += *std::ranges::max_element(lanes);
        }
  return static_cast<double>(most) / static_cast<double>(reads);
}

TEST(Tiled, LanesThatReadTogetherReadDifferentBanks) {
  const GeneratedRows rows({.rows = 12'000, .reference_per_row = 300, .density = 0.01},
                           base::Backend::openmp(2));
  for (const auto& [vectors, most] : {std::pair(1, 2.0), std::pair(4, 1.5)}) {
    const TileGeometry geometry{
        .vectors = vectors, .blocks = 16, .shared_capacity = 6'000, .largest_tile = 2'000};
    const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
    ASSERT_GT(tiled.units.size(), 0);
    EXPECT_LT(lanes_at_a_bank(tiled), most);
  }
}

TEST(Tiled, TilesHaveAnEvenNumberOfColumns) {
  const Elements matrix = test::random_elements({1, 2, 3}, 4, 2);
  for (const Index size : {1, 41})
    EXPECT_THROW(build_matrix(ElementRows(matrix), {.format = "tiled", .block_size = size},
                              base::Backend::openmp(1)),
                 base::Error);
}

TEST(Tiled, BlocksFitSharedMemoryAndBalanceElements) {
  const GeneratedRows rows({.rows = 9'000, .reference_per_row = 90, .density = 0.01, .spread = 9},
                           base::Backend::openmp(2));
  const TileGeometry geometry{.blocks = 10, .shared_capacity = 2'000, .largest_tile = 1'000};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  EXPECT_LE(2 * tiled.tile_columns + tiled.largest_block, geometry.shared_capacity);
  EXPECT_EQ(tiled.view().blocks, 10);
  EXPECT_EQ(tiled.view().cells, 0);  // so small a matrix is stored as tail
  EXPECT_EQ(tiled.tail.nonzeros(), tiled.nonzeros());
}

TEST(Tiled, LeavesSparseCellsToTheTail) {
  const GeneratedRows rows({.rows = 100'000, .reference_per_row = 45, .density = 0.00001},
                           base::Backend::openmp(2));
  const TileGeometry geometry{.blocks = 64, .shared_capacity = 6'000, .largest_tile = 1'200};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  ASSERT_GE(tiled.nonzeros(), kLeastTiledElements);
  const Index elsewhere = tiled.nonzeros() - Index{100'000} * 45;
  EXPECT_GT(tiled.view().cells, 0);
  EXPECT_GE(tiled.tail.nonzeros(), elsewhere / 2);
  EXPECT_LE(tiled.tail.nonzeros(), elsewhere);
}

TEST(Tiled, TriesNoTilesForShortRows) {
  for (const Index length : {kLeastTiledRow - 1, kLeastTiledRow}) {
    const GeneratedRows rows({.rows = 90'000, .reference_per_row = length, .density = 0},
                             base::Backend::openmp(2));
    const Tiled tiled =
        build_tiled(rows, {.blocks = 64, .shared_capacity = 6'000, .largest_tile = 1'200},
                    base::Backend::openmp(2));
    ASSERT_GE(tiled.nonzeros(), kLeastTiledElements);
    EXPECT_EQ(tiled.tail.nonzeros() == tiled.nonzeros(), length < kLeastTiledRow) << length;
    EXPECT_EQ(tiled.view().cells > 0, length >= kLeastTiledRow) << length;
  }
}

TEST(Tiled, MakesNoTailForFewElements) {
  const GeneratedRows rows({.rows = 12'000, .reference_per_row = 300, .density = 0.0001},
                           base::Backend::openmp(2));
  const TileGeometry geometry{.blocks = 64, .shared_capacity = 3'000, .largest_tile = 1'200};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  ASSERT_GE(tiled.nonzeros(), kLeastTiledElements);
  EXPECT_EQ(tiled.tail.nonzeros(), 0);
}

TEST(Tiled, BlocksOfUnevenRowsHaveEquallyManyElements) {
  std::vector<Index> lengths(4'000, 30);
  std::fill_n(lengths.begin(), 400, 300);
  const ElementRows rows(test::random_elements(lengths, 4'000, 6));
  const TileGeometry geometry{.blocks = 20, .shared_capacity = 6'000, .largest_tile = 1'200};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  const TiledView view = tiled.view();
  ASSERT_EQ(view.blocks, 20);
  for (Index block = 0; block < view.blocks; ++block) {
    Index elements = 0;
    for (Index row = view.block_rows[block]; row < view.block_rows[block + 1]; ++row)
      elements += lengths[row];
    EXPECT_NEAR(static_cast<double>(elements), 11'400, 0.06 * 11'400);
  }
}

/// The runs of a set of columns, checked for properties that always hold.
std::vector<PackedRun> packed(const std::vector<Index>& columns, Index all, Index width,
                              Index longest_gap) {
  ColumnSet set(all);
  for (const Index column : columns) set.add(column);
  const std::vector<PackedRun> runs = set.pack(width, longest_gap);
  std::size_t next = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const PackedRun& run = runs[k];
    EXPECT_EQ(run.first % 2 + run.place % 2, 0);
    EXPECT_LE(run.place + run.count, width);
    EXPECT_LE(run.end(), all);
    const bool goes_on = k > 0 && run.tile == runs[k - 1].tile;
    EXPECT_EQ(run.place, goes_on ? runs[k - 1].place + runs[k - 1].count : 0);
    EXPECT_EQ(run.tile, k == 0 ? 0 : runs[k - 1].tile + (goes_on ? 0 : 1));
    if (k > 0 && !goes_on) {  // only if the tile before has no space for a pair
      EXPECT_GT(runs[k - 1].place + runs[k - 1].count + 2, width);
    }
    EXPECT_EQ(columns[next] / 2, run.first / 2);
    while (next < columns.size() && columns[next] < run.end()) ++next;
  }
  EXPECT_EQ(next, columns.size());
  return runs;
}

TEST(Tiled, TilesAreFilledToTheirWidthAndNoFurther) {
  std::vector<Index> all(1'000);
  std::iota(all.begin(), all.end(), Index{0});
  for (const Index width : {2, 4, 100, 998, 1'000, 1'002}) {
    const auto runs = packed(all, 1'000, width, 0);
    EXPECT_EQ(std::ssize(runs), (1'000 + width - 1) / width);
    for (std::size_t k = 0; k + 1 < runs.size(); ++k) EXPECT_EQ(runs[k].count, width);
  }
  for (const int share : {2, 5, 30})
    for (const Index width : {2, 6, 64})
      for (const Index gap : {0, 2, 7}) {
        std::vector<Index> some;
        for (Index column = 0; column < 1'001; ++column)
          if (base::mix(share, static_cast<std::uint64_t>(column)) % share == 0)
            some.push_back(column);
        packed(some, 1'001, width, gap);
      }
}

TEST(Tiled, GapsUpToTheLimitAreIncluded) {
  EXPECT_EQ(packed({0, 6}, 100, 10, 4).size(), 1U);  // 2 to 5 are between their pairs
  EXPECT_EQ(packed({0, 6}, 100, 10, 3).size(), 2U);
  EXPECT_EQ(packed({0, 6}, 100, 8, 4).size(), 1U);
  const auto apart = packed({0, 6}, 100, 6, 4);  // no space for the columns between
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart[1].tile, 0);
  EXPECT_EQ(apart[1].place, 2);
}

// The rows use 241 columns of 90,001, in forty groups that are far apart: at most ten columns of
// each are in a tile.
TEST(Tiled, PacksTheColumnsThatABlockUses) {
  Elements matrix{{300, 90'001, 0, false}, {}};
  for (Index row = 0; row < 300; ++row)
    for (Index k = 0; k < 40; ++k)
      matrix.at[{row, row / 100 * 7 + k * 2'250 + row % 2}] = 1.0 + static_cast<double>(row * k);
  matrix.at[{299, 90'000}] = 5;
  const TileGeometry geometry{.blocks = 3, .largest_tile = 100, .keep_sparse_cells = true};
  const Tiled tiled = build_tiled(ElementRows(matrix), geometry, base::Backend::openmp(2));
  EXPECT_EQ(elements_of(tiled), matrix.at);
  EXPECT_LE(tiled.view().cells, 5 * tiled.view().blocks);
}

}  // namespace
}  // namespace cisolve::sparse
