#include "sparse/tiled.hpp"

#include <gtest/gtest.h>

#include "sparse/generator.hpp"
#include "tests/support/matrices.hpp"

namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;

/// Every element of the cells and of the tail, each once.
std::map<std::pair<Index, Index>, double> elements_of(const Tiled& tiled) {
  std::map<std::pair<Index, Index>, double> found;
  const auto take = [&](Index row, Index column, double value) {
    EXPECT_TRUE(found.emplace(std::pair(row, column), value).second)
        << "twice: " << row << ", " << column;
  };
  const TiledView view = tiled.view();
  for (Index block = 0; block < view.blocks; ++block) view.visit_block(block, 0, 1, take);
  for (Index row = 0; row < view.rows; ++row)
    view.tail.visit(row, 0, 1, [&](Index column, double value) { take(row, column, value); });
  return found;
}

Tiled build(const Elements& matrix, Index tile_columns) {
  const TileGeometry geometry{.blocks = 3, .largest_tile = tile_columns, .keep_sparse_cells = true};
  return build_tiled(ElementRows(matrix), geometry, base::Backend::openmp(2));
}

TEST(Tiled, HoldsEveryElementOnce) {
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(elements_of(build(matrix, 300)), matrix.at);
  }
}

// Eight bits of a code are the column, so a jump goes 255 rows far and a step less than 255.
TEST(Tiled, JumpsOverManyEmptyRows) {
  std::vector<Index> lengths(20'000, 0);
  for (const Index row : {0, 254, 509, 765, 1276, 9'000, 19'999}) lengths[row] = 2;
  const Elements matrix = test::random_elements(lengths, 200, 4);
  const Tiled tiled = build(matrix, 200);
  EXPECT_EQ(tiled.code.column_bits, 8);
  EXPECT_EQ(elements_of(tiled), matrix.at);
}

TEST(Tiled, BlocksFitTheirRoomAndShareTheElements) {
  const GeneratedRows rows({.rows = 9'000, .reference_per_row = 90, .density = 0.01, .spread = 9},
                           base::Backend::openmp(2));
  const TileGeometry geometry{.blocks = 10, .room = 2'000, .largest_tile = 1'000};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  EXPECT_LE(2 * tiled.tile_columns + tiled.largest_block, geometry.room);
  EXPECT_EQ(tiled.view().blocks, 10);
  EXPECT_EQ(tiled.cell_tile.size(), 0);  // so small a matrix is all tail
  EXPECT_EQ(tiled.tail.nonzeros(), tiled.nonzeros());
}

TEST(Tiled, LeavesSparseCellsToTheTail) {
  const GeneratedRows rows({.rows = 12'000, .reference_per_row = 300, .density = 0.001},
                           base::Backend::openmp(2));
  const TileGeometry geometry{.blocks = 64, .room = 3'000, .largest_tile = 1'200};
  const Tiled tiled = build_tiled(rows, geometry, base::Backend::openmp(2));
  ASSERT_GE(tiled.nonzeros(), kLeastTiledElements);
  const Index in_reference = Index{12'000} * 300;
  EXPECT_GT(tiled.cell_tile.size(), 0);
  EXPECT_GE(tiled.tail.nonzeros(), (tiled.nonzeros() - in_reference) / 2);
  EXPECT_LE(tiled.tail.nonzeros(), tiled.nonzeros() - in_reference);
}

}  // namespace
}  // namespace cisolve::sparse
