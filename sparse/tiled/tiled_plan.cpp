#include "sparse/tiled/tiled_plan.hpp"

#include <numeric>

#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/tiled/magnitude_codes.hpp"

namespace cisolve::sparse {
// Jumps and padding are a few per cent; every cell is counted as kept.
MemoryUse plan_tiled(const MatrixShape& shape, Index nonzeros, const TileGeometry& geometry) {
  const Index blocks = std::clamp<Index>(shape.rows, 1, geometry.blocks);
  const Index offsets =
      shape.rows + 1 + blocks * (kTileWarps + 1);  // row ends of the tail and of the blocks
  if (!may_have_tiles(shape, nonzeros) && !geometry.keep_sparse_cells)
    return with_wide_offsets(csr_bytes(shape.rows, nonzeros) + tiled_bytes(0, 0, 0, blocks),
                             offsets, 0);
  const Index tiles = 1 + 2 * shape.columns / geometry.largest_tile;
  const Index stored = nonzeros + nonzeros / 32;
  return with_wide_offsets(
      csr_bytes(shape.rows, 0) + tiled_bytes(stored, blocks * tiles, blocks * tiles, blocks),
      offsets, stored - nonzeros);
}

MemoryUse plan_tiled(const RowSource& rows, std::span<const Column> lengths,
                     const TileGeometry& geometry, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  const Index elements = total(lengths);
  if (geometry.values == ValueEncoding::plain) return plan_tiled(shape, elements, geometry);
  const auto offsets = base::offsets_from(lengths, host, "the offsets of the rows");
  const auto codes = codes_for(rows, lengths, offsets.span(), geometry);
  if (!codes) return plan_tiled(shape, elements, geometry);
  const auto coded = static_cast<Index>(codes->share * static_cast<double>(elements));
  const Index magnitudes = std::ssize(codes->magnitudes);
  return plan_coded_tiles(shape, coded, elements - coded, magnitudes,
                          reserve_for_magnitudes(geometry, magnitudes));
}

namespace {

/// Columns of all elements of rows [first, last).
base::Array<Column> columns_of_block(const RowSource& source, std::span<const Column> lengths,
                                     Index first, Index last, const base::Backend& host) {
  base::Array<Column> columns(host, total(lengths.subspan(first, last - first)),
                              "the columns of a block of rows");
  Column* end = columns.data();
  for_each_row_of_block(source, lengths, first, last,
                        [&](const Row& row) { end = std::ranges::copy(row.columns, end).out; });
  return columns;
}

/// Calls visit(row in the block, column, its run) for all elements, row by row.
template <class Visit>
void for_each_element(std::span<const Column> lengths, std::span<const Column> columns,
                      const RunFinder& finder, Visit&& visit) {
  std::size_t k = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row)
    for (const std::size_t end = k + lengths[row]; k < end; ++k)
      visit(row, Index{columns[k]}, finder.of(columns[k]));
}

/// Packs all columns that occur into tiles.
void pack_columns(std::span<const Column> columns, const MatrixShape& shape,
                  const Division& division, const TileGeometry& geometry, BlockPlan& plan) {
  ColumnSet used(shape.columns);
  for (const Column column : columns) used.add(column);
  plan.runs = used.pack(division.tile_columns, kRunColumns / geometry.vectors);
  for (const PackedRun& run : plan.runs) {
    if (run.place == 0) plan.cells.emplace_back().tile = run.tile;
    plan.cells.back().columns = run.place + run.count;
    ++plan.cells.back().runs;
  }
}

void count_elements(std::span<const Column> lengths, std::span<const Column> columns,
                    const RunFinder& finder, TileCode code, std::vector<Cell>& cells) {
  std::vector<Cursor> cursors(cells.size(), Cursor{code});
  const auto count = [&](std::size_t row, Index column, const PackedRun& run) {
    Cursor& cursor = cursors[run.tile];
    Cell& cell = cells[run.tile];
    if (cell.elements == 0 || cursor.row != static_cast<Index>(row)) ++cell.row_parts;
    ++cell.elements;
    cursor.append(static_cast<Index>(row), run.place + column - run.first,
                  [&](auto) { ++cursor.count; });
  };
  for_each_element(lengths, columns, finder, count);
  for (Cell& cell : cells)
    cell.units = (cursors[cell.tile].count + kUnitElements - 1) / kUnitElements;
}

BlockPlan plan_block(const RowSource& source, std::span<const Column> lengths, Index block,
                     const Division& division, const TileGeometry& geometry,
                     const base::Backend& host) {
  const Index first = division.begins[block];
  const Index last = division.begins[block + 1];
  const std::span<const Column> mine = lengths.subspan(first, last - first);
  BlockPlan plan;
  plan.in_tail.assign(mine.begin(), mine.end());
  if (!division.worthwhile && !geometry.keep_sparse_cells) return plan;
  const base::Array<Column> columns = columns_of_block(source, lengths, first, last, host);
  pack_columns(columns.span(), source.shape(), division, geometry, plan);
  const RunFinder finder(plan.runs, source.shape().columns);
  count_elements(mine, columns.span(), finder, division.code, plan.cells);
  choose_cells(plan, geometry);
  std::ranges::fill(plan.in_tail, 0);
  if (std::ranges::all_of(plan.cells, &Cell::kept)) return plan;
  for_each_element(mine, columns.span(), finder, [&](std::size_t row, Index, const PackedRun& run) {
    if (!plan.cells[run.tile].kept) ++plan.in_tail[row];
  });
  return plan;
}

/// True if a tail saves more than the cost of a second kernel, which reads and writes the result
/// again.
bool tail_pays(const std::vector<BlockPlan>& plans, Index rows, const TileGeometry& geometry) {
  constexpr Index kLaunch = 1'000'000;  // cost of a launch, in elements
  constexpr Index kRow = 2;
  Index saved = 0;
  for (const BlockPlan& plan : plans)
    for (const Cell& cell : plan.cells)
      if (!cell.kept) saved += cost_of_cell(cell, geometry) - cost_of_gathers(cell, geometry);
  return saved > kLaunch + kRow * rows;
}

}  // namespace

void choose_cells(BlockPlan& plan, const TileGeometry& geometry) {
  for (Cell& cell : plan.cells)
    cell.kept = geometry.keep_sparse_cells || geometry.near_magnitudes > 0 ||
                cost_of_gathers(cell, geometry) >= cost_of_cell(cell, geometry);
}

std::vector<BlockPlan> plan_blocks(const RowSource& source, std::span<const Column> lengths,
                                   const Division& division, std::span<const Index> blocks,
                                   const TileGeometry& geometry, const base::Backend& host) {
  std::vector<BlockPlan> plans(blocks.size());
  base::for_each_chunk(std::ssize(blocks), 1, host, [&](Index k, Index) {
    plans[k] = plan_block(source, lengths, blocks[k], division, geometry, host);
  });
  return plans;
}

std::vector<BlockPlan> plan_all(const Division& division, Index rows, const TileGeometry& geometry,
                                const BlockPlanner& plan) {
  std::vector<Index> blocks(division.begins.size() - 1);
  std::iota(blocks.begin(), blocks.end(), Index{0});
  std::vector<BlockPlan> plans = plan(division, blocks);
  if (!division.worthwhile || tail_pays(plans, rows, geometry)) return plans;
  for (BlockPlan& block : plans) {
    for (Cell& cell : block.cells) cell.kept = true;
    std::ranges::fill(block.in_tail, 0);
  }
  return plans;
}

}  // namespace cisolve::sparse
