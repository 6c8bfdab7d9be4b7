#include <algorithm>
#include <optional>
#include <vector>

#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/tiled/magnitude_codes.hpp"
#include "sparse/tiled/tile_banks.hpp"
#include "sparse/tiled/tiled_plan.hpp"

// Placement of a source's elements in tiles, on the host.
namespace cisolve::sparse {
namespace {

/// Writes the elements of one cell into the runs of its lanes.
class CellWriter {
 public:
  /// `first_units` are the cell's first units in the streams of its warps.
  CellWriter(Tiled& matrix, Index cell, const Cell& plan, std::vector<Index> first_units)
      : matrix_(matrix),
        cell_(cell),
        plan_(plan),
        first_units_(std::move(first_units)),
        cursor_{matrix.code} {
    begin_runs();
  }

  void append(Index row, Index column, double value) {
    cursor_.append(row, column,
                   [&](std::uint16_t code) { put(code, matrix_.code.is_jump(code) ? 0 : value); });
  }

  /// Pads the rest of the cell with jumps that no element follows.
  void finish(BankConflictOrder& order) {
    while (warp_ < kTileWarps) put(matrix_.code.of(matrix_.code.jump(), 0), 0);
    for (int warp = 0; warp < kTileWarps; ++warp)
      order.arrange(matrix_, first_units_[warp], plan_.warp_units(warp));
  }

 private:
  void put(std::uint16_t code, double value) {
    if (position_ == 0) begin_run(lane_);
    put_element(matrix_, first_units_[warp_] + position_ / kUnitWidth, lane_,
                position_ % kUnitWidth, {code, value});
    if (++position_ < kUnitWidth * plan_.warp_units(warp_)) return;
    position_ = 0;
    if (++lane_ < kTileLanes) return;
    lane_ = 0;
    ++warp_;
    begin_runs();
  }

  void begin_run(int lane) {
    const Index run = (cell_ * kTileWarps + warp_) * kTileLanes + lane;
    matrix_.lane_rows[run] = static_cast<std::uint16_t>(cursor_.row);
  }

  /// Skips warps without units; their rows must still ascend.
  void begin_runs() {
    for (; warp_ < kTileWarps && plan_.warp_units(warp_) == 0; ++warp_)
      for (int lane = 0; lane < kTileLanes; ++lane) begin_run(lane);
  }

  Tiled& matrix_;
  Index cell_;
  Cell plan_;
  std::vector<Index> first_units_;
  Cursor cursor_;
  int warp_ = 0;
  int lane_ = 0;
  Index position_ = 0;
};

/// Writers of a block's cells, by tile; nullopt for cells in the tail.
std::vector<std::optional<CellWriter>> writers_of(const BlockPlan& plan, Index block,
                                                  Tiled& matrix) {
  std::vector<std::optional<CellWriter>> writers(plan.cells.size());
  const Index* streams = matrix.warp_units.data() + block * kTileWarps;
  std::vector<Index> units(streams, streams + kTileWarps);
  Index number = matrix.block_cells[block];
  for (const Cell& cell : plan.cells) {
    if (!cell.kept) continue;
    writers[cell.tile].emplace(matrix, number, cell, units);
    for (int warp = 0; warp < kTileWarps; ++warp) {
      const Index count = cell.warp_units(warp);
      matrix.cell_units[number * kTileWarps + warp] = static_cast<std::uint32_t>(count);
      units[warp] += count;
    }
    ++number;
  }
  return writers;
}

void write_runs(const BlockPlan& plan, Index block, Tiled& matrix) {
  Index k = matrix.cell_runs[matrix.block_cells[block]];
  for (const PackedRun& run : plan.runs)
    if (plan.cells[run.tile].kept)
      matrix.runs[k++] = {static_cast<std::uint32_t>(run.first),
                          static_cast<std::uint16_t>(run.place),
                          static_cast<std::uint16_t>(run.count)};
}

void fill_block(const RowSource& source, std::span<const Column> lengths, Index block,
                const BlockPlan& plan, Tiled& matrix) {
  const Index first = matrix.block_rows[block];
  std::vector<std::optional<CellWriter>> writers = writers_of(plan, block, matrix);
  write_runs(plan, block, matrix);
  const RunFinder finder(plan.runs, source.shape().columns);
  const auto take = [&](const Row& row) {
    Index tail = matrix.tail.offsets[first + row.number];
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const PackedRun* run = plan.cells.empty() ? nullptr : &finder.of(row.columns[k]);
      if (run != nullptr && writers[run->tile]) {
        writers[run->tile]->append(row.number, run->place + row.columns[k] - run->first,
                                   row.values[k]);
      } else {
        matrix.tail.columns[tail] = row.columns[k];
        matrix.tail.values[tail++] = row.values[k];
      }
    }
  };
  for_each_row_of_block(source, lengths, first, matrix.block_rows[block + 1], take);
  BankConflictOrder order(matrix.code, matrix.vectors);
  for (auto& writer : writers)
    if (writer) writer->finish(order);
}

/// Allocates the tail and sets its offsets.
Csr allocate_tail(const MatrixShape& shape, const std::vector<BlockPlan>& plans,
                  const base::Backend& host) {
  Index elements = 0;
  for (const BlockPlan& plan : plans) elements += total(plan.in_tail);
  Csr tail = allocate_csr(shape, elements, host);
  Index row = 0;
  tail.offsets[0] = 0;
  for (const BlockPlan& plan : plans)
    for (const Column count : plan.in_tail) {
      tail.offsets[row + 1] = tail.offsets[row] + count;
      ++row;
    }
  return tail;
}

}  // namespace

namespace {

/// Lays out all elements if values are plain; else the coded elements, with `others` as the tail.
Tiled lay_out_tiles(const RowSource& rows, std::span<const Column> lengths,
                    std::span<const Index> offsets, const TileGeometry& geometry,
                    const base::Backend& host, std::span<const double> magnitudes = {},
                    std::optional<Csr> others = {}) {
  const MatrixShape shape = rows.shape();
  const BlockPlanner plan = [&](const Division& division, std::span<const Index> blocks) {
    return plan_blocks(rows, lengths, division, blocks, geometry, host);
  };
  const Division division = divide(shape, offsets, geometry, plan);
  const std::vector<BlockPlan> plans = plan_all(division, shape.rows, geometry, plan);
  Csr tail = others ? *std::move(others) : allocate_tail(shape, plans, host);
  const Index elements = offsets.back() + (magnitudes.empty() ? 0 : tail.nonzeros());
  Tiled matrix =
      allocate_tiles(shape, elements, geometry, division, plans, std::move(tail), magnitudes);
  base::for_each_chunk(std::ssize(plans), 1, host, [&](Index block, Index) {
    fill_block(rows, lengths, block, plans[block], matrix);
  });
  return matrix;
}

}  // namespace

Tiled build_tiled(const RowSource& rows, const TileGeometry& geometry, const base::Backend& host) {
  const base::Array<Column> lengths = row_lengths(rows, host);
  const base::Array<Index> offsets =
      base::offsets_from(lengths.span(), host, "the offsets of the rows");
  const auto codes = codes_for(rows, lengths.span(), offsets.span(), geometry);
  if (!codes) return lay_out_tiles(rows, lengths.span(), offsets.span(), geometry, host);
  const ValueNumbers numbers(codes->magnitudes, host);
  const CodeFilteredRows coded(rows, lengths.span(), numbers.coder(),
                               CodeFilteredRows::Part::coded);
  const CodeFilteredRows others(rows, lengths.span(), numbers.coder(),
                                CodeFilteredRows::Part::other);
  const base::Array<Column> coded_lengths = row_lengths(coded, host);
  const base::Array<Index> coded_offsets =
      base::offsets_from(coded_lengths.span(), host, "the offsets of coded elements");
  return lay_out_tiles(coded, coded_lengths.span(), coded_offsets.span(),
                       reserve_for_magnitudes(geometry, std::ssize(codes->magnitudes)), host,
                       codes->magnitudes, build_csr(others, host));
}

}  // namespace cisolve::sparse
