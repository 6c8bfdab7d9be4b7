#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <utility>

#include "sparse/tiled/tiled.hpp"

// Bitwise comparison of two matrices in the tiled format.
namespace cisolve::test {

template <class T>
void expect_same_bits(const base::Array<T>& found, const base::Array<T>& expected,
                      const char* what) {
  const base::Array<T> here = found.to(expected.backend(), what);
  ASSERT_EQ(here.size(), expected.size()) << what;
  for (base::Index i = 0; i < here.size(); ++i)
    ASSERT_EQ(std::memcmp(&here[i], &expected[i], sizeof(T)), 0) << what << ", " << i;
}

/// All elements of the cells and of the tail, each once.
inline std::map<std::pair<base::Index, base::Index>, double> elements_of(
    const sparse::Tiled& tiled) {
  std::map<std::pair<base::Index, base::Index>, double> found;
  const auto take = [&](base::Index row, base::Index column, double value) {
    EXPECT_TRUE(found.emplace(std::pair(row, column), value).second)
        << "twice: " << row << ", " << column;
  };
  const sparse::TiledView view = tiled.view();
  for (base::Index block = 0; block < view.blocks; ++block) view.visit_block(block, 0, 1, take);
  for (base::Index row = 0; row < view.rows; ++row)
    view.tail.visit(row, 0, 1, [&](base::Index column, double value) { take(row, column, value); });
  return found;
}

/// `expected` is in host memory.
inline void expect_same_tiles(const sparse::Tiled& found, const sparse::Tiled& expected) {
  EXPECT_EQ(found.shape.rows, expected.shape.rows);
  EXPECT_EQ(found.shape.columns, expected.shape.columns);
  EXPECT_EQ(found.elements, expected.elements);
  EXPECT_EQ(found.vectors, expected.vectors);
  EXPECT_EQ(found.tile_columns, expected.tile_columns);
  EXPECT_EQ(found.largest_block, expected.largest_block);
  EXPECT_EQ(found.code.column_bits, expected.code.column_bits);
  expect_same_bits(found.block_rows, expected.block_rows, "the rows of the blocks");
  expect_same_bits(found.block_cells, expected.block_cells, "the cells of the blocks");
  expect_same_bits(found.cell_runs, expected.cell_runs, "the runs of the cells");
  expect_same_bits(found.runs, expected.runs, "the columns of the tiles");
  expect_same_bits(found.warp_units, expected.warp_units, "the units of the warps");
  expect_same_bits(found.cell_units, expected.cell_units, "the units of the cells");
  expect_same_bits(found.lane_rows, expected.lane_rows, "the rows of the lanes");
  expect_same_bits(found.units, expected.units, "the units");
  expect_same_bits(found.coded_units, expected.coded_units, "the coded units");
  expect_same_bits(found.magnitudes, expected.magnitudes, "the magnitudes");
  EXPECT_EQ(found.near_magnitudes, expected.near_magnitudes);
  expect_same_bits(found.tail.offsets, expected.tail.offsets, "the offsets of the tail");
  expect_same_bits(found.tail.columns, expected.tail.columns, "the columns of the tail");
  expect_same_bits(found.tail.values, expected.tail.values, "the values of the tail");
}

}  // namespace cisolve::test
