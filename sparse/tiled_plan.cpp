#include "sparse/tiled_plan.hpp"

#include <bit>

#include "sparse/formulas.hpp"

namespace cisolve::sparse {
namespace {

/// Whether a tile of x costs less than the gathers that it saves: it is brought whole, at the pace
/// of about four elements a gather, and the threads meet when it is there.
bool pays(Index elements, Index tile_columns, const TileGeometry& geometry) {
  constexpr Index kMeeting = 256;
  return elements >= tile_columns * geometry.vectors / 4 + kMeeting;
}

/// So that each block has about equally many elements. A row weighs its elements and a mean row
/// more, so no block is much higher than the mean.
std::vector<Index> divide_rows(std::span<const Column> lengths, Index elements, Index blocks) {
  const Index rows = std::ssize(lengths);
  const double mean = std::max(1.0, static_cast<double>(elements) / static_cast<double>(rows));
  const double all = static_cast<double>(elements) + mean * static_cast<double>(rows);
  const double share = all / static_cast<double>(blocks);
  std::vector<Index> begins{0};
  double weight = 0;
  for (Index row = 0; row < rows; ++row) {
    weight += lengths[row] + mean;
    if (weight >= share * static_cast<double>(begins.size()) || row + 1 == rows)
      begins.push_back(row + 1);
  }
  return begins;
}

/// Wide tiles leave fewer bits for the rows, which short rows need.
Index widest_tile(const MatrixShape& shape, Index elements, const TileGeometry& geometry) {
  if (geometry.keep_sparse_cells) return geometry.largest_tile;
  constexpr double kDense = 3;  // elements of a row in a tile
  const double density = static_cast<double>(elements) / static_cast<double>(shape.rows) /
                         static_cast<double>(shape.columns);
  const bool dense = density * static_cast<double>(geometry.largest_tile) >= kDense;
  return dense ? geometry.largest_tile : geometry.largest_tile / 2;
}

}  // namespace

// Jumps and padding take a few per cent; every cell is counted as if it were kept.
MemoryUse plan_tiled(const MatrixShape& shape, Index nonzeros, const TileGeometry& geometry) {
  const Index blocks = std::clamp<Index>(shape.rows, 1, geometry.blocks);
  const Index offsets = shape.rows + 1 + blocks * (kTileWarps + 1);  // of the tail, of the blocks
  if (nonzeros < kLeastTiledElements && !geometry.keep_sparse_cells)
    return with_wide_offsets(csr_bytes(shape.rows, nonzeros) + tiled_bytes(0, 0, blocks), offsets,
                             0);
  const Index tiles = 1 + 2 * shape.columns / geometry.largest_tile;
  const Index stored = nonzeros + nonzeros / 32;
  return with_wide_offsets(csr_bytes(shape.rows, 0) + tiled_bytes(stored, blocks * tiles, blocks),
                           offsets, stored - nonzeros);
}

Division divide(const MatrixShape& shape, std::span<const Column> lengths,
                const TileGeometry& geometry) {
  constexpr Index kLeastElements = 32 * kUnitElements;  // of a block
  constexpr int kLeastColumnBits = 8;                   // so that a jump goes far enough
  const Index elements = total(lengths);
  const Index wanted = std::clamp<Index>(elements / kLeastElements, 1, geometry.blocks);
  const Index widest = shape.rows == 0 ? 1 : widest_tile(shape, elements, geometry);
  const Index narrowest = geometry.keep_sparse_cells ? widest : widest / 4;
  for (Index blocks = wanted;; blocks += wanted) {
    std::vector<Index> begins = divide_rows(lengths, elements, blocks);
    Index highest = 0;
    for (std::size_t i = 1; i < begins.size(); ++i)
      highest = std::max(highest, begins[i] - begins[i - 1]);
    const Index fitting = (geometry.room - highest) / 2;
    if (fitting < narrowest) continue;
    const Index columns = fitting >= widest ? widest : std::max<Index>(fitting / 32 * 32, 1);
    const int bits =
        std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(columns - 1))),
                 kLeastColumnBits);
    return {std::move(begins), columns, TileCode{bits}, elements >= kLeastTiledElements};
  }
}

BlockPlan plan_block(const RowSource& source, std::span<const Column> lengths, Index first,
                     Index last, const Division& division, const TileGeometry& geometry) {
  const Index columns = source.shape().columns;
  const Index width = division.tile_columns;
  const Index tiles = (columns + width - 1) / width;
  std::vector<Cursor> cursors(tiles, Cursor{division.code});
  std::vector<Index> elements(tiles);
  std::vector<std::pair<Column, Column>> row_parts;  // tile and elements there, row by row
  std::vector<Index> row_ends;
  for_each_row_of_block(source, lengths, first, last, [&](const Row& row) {
    const std::size_t begin = row_parts.size();
    for (const Column column : row.columns) {
      const auto tile = static_cast<Column>(column / width);
      Cursor& cursor = cursors[tile];
      cursor.append(row.number, column % width, [&](auto) { ++cursor.count; });
      ++elements[tile];
      if (row_parts.size() == begin || row_parts.back().first != tile)
        row_parts.emplace_back(tile, 0);
      ++row_parts.back().second;
    }
    row_ends.push_back(std::ssize(row_parts));
  });
  BlockPlan plan;
  std::vector<bool> kept(tiles);
  for (Index tile = 0; tile < tiles; ++tile) {
    kept[tile] = elements[tile] > 0 &&
                 (geometry.keep_sparse_cells ||
                  (division.worthwhile &&
                   pays(elements[tile], std::min(width, columns - tile * width), geometry)));
    if (kept[tile])
      plan.cells.push_back({tile, (cursors[tile].count + kUnitElements - 1) / kUnitElements});
  }
  Index k = 0;
  for (const Index end : row_ends) {
    plan.in_tail.push_back(0);
    for (; k < end; ++k)
      if (!kept[row_parts[k].first]) plan.in_tail.back() += row_parts[k].second;
  }
  return plan;
}

}  // namespace cisolve::sparse
