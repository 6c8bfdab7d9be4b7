#pragma once

#include <numeric>

#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "sparse/rows/device_offsets.hpp"
#include "sparse/tiled/cuda/block_batches.cuh"
#include "sparse/tiled/cuda/lay_out.cuh"
#include "sparse/tiled/cuda/tail_rows.cuh"

// Steps of a device that lays out tiles.
namespace cisolve::sparse::cuda {

inline constexpr Index kThreads = 128;
inline constexpr Index kWarpsOfBlock = kThreads / 32;

inline Index ceiling(Index count, Index divisor) { return (count + divisor - 1) / divisor; }

inline unsigned blocks_for(Index count, Index of_a_block) {
  return static_cast<unsigned>(ceiling(count, of_a_block));
}

/// Plans blocks of rows from counts made by the device, and launches their layout.
class TileBuilder {
 public:
  TileBuilder(RowWindow& window, const MatrixShape& shape, const TileGeometry& geometry,
              Index bytes, const base::Backend& device)
      : window_(window),
        shape_(shape),
        geometry_(geometry),
        device_(device),
        batches_(window, shape, geometry, bytes, device),
        parts_(device, "the parts of rows in tiles"),
        counts_(device, "the counts of cells"),
        cells_(device, "the cells that are laid out"),
        starts_(device, "the starts of lanes"),
        first_units_(device, "the starts of cells"),
        in_tail_(device, "the tiles that are left to the tail"),
        tail_lengths_(device, "the lengths of the tail's rows") {}

  std::vector<BlockPlan> plan(const Division& division, std::span<const Index> numbers) {
    std::vector<BlockPlan> plans;
    if (!division.worthwhile && !geometry_.keep_sparse_cells) return plans_of_none(numbers);
    batches_.for_each(division, numbers, [&](const Batch& batch) {
      const BlockView* blocks = find_parts_of(batch, division);
      append_plans(division, batch, count(batch, blocks, division), plans);
    });
    return plans;
  }

  /// Leaves the tail of coded values to its feed.
  void lay_out_all(const Division& division, const std::vector<BlockPlan>& plans, Tiled& matrix) {
    const bool has_tail = matrix.values() == ValueEncoding::plain && matrix.tail.nonzeros() > 0;
    if (matrix.tail.nonzeros() == 0) base::fill_bytes(matrix.tail.offsets, 0);
    std::vector<Index> numbers(plans.size());
    std::iota(numbers.begin(), numbers.end(), Index{0});
    Index first_cell = 0;
    Index in_tail = 0;
    batches_.for_each(division, numbers, [&](const Batch& batch) {
      const std::vector<KeptCell> cells = number_cells(batch, plans);
      const BlockView* blocks = find_parts_of(batch, division);
      lay_out_cells(batch, blocks, cells, first_cell, division, matrix);
      if (has_tail) in_tail += write_tail_rows(batch, blocks, plans, in_tail, division, matrix);
      first_cell += std::ssize(cells);
    });
  }

 private:
  static std::vector<BlockPlan> plans_of_none(std::span<const Index> numbers) {
    return std::vector<BlockPlan>(numbers.size());
  }
  static std::uint32_t width_of(const Division& division) {
    return static_cast<std::uint32_t>(division.tile_columns / 2);
  }
  cudaStream_t stream() const { return device_.device().stream(); }

  const BlockView* find_parts_of(const Batch& batch, const Division& division) {
    const BlockView* blocks = batches_.upload(batch.blocks);
    const Index count = std::ssize(batch.blocks);
    find_parts<<<grid_of(ceiling(8192, count), count), kThreads, 0, stream()>>>(
        blocks, window_.view(), width_of(division), parts_.at_least(batch.parts));
    base::cuda::check_launch("find_parts");
    return blocks;
  }

  std::vector<CellCounts> count(const Batch& batch, const BlockView* blocks,
                                const Division& division) {
    CellCounts* counts = counts_.at_least(batch.tiles);
    const auto rows = static_cast<unsigned>(batch.blocks.size());
    if (batch.most_tiles > 0) {
      const dim3 by_warps(blocks_for(batch.most_tiles, kWarpsOfBlock), rows);
      count_codes<<<by_warps, kThreads, 0, stream()>>>(blocks, division.code, parts_.data(),
                                                       counts);
      base::cuda::check_launch("count_codes");
      count_runs<<<by_warps, kThreads, 0, stream()>>>(blocks, batches_.words(), width_of(division),
                                                      counts);
      base::cuda::check_launch("count_runs");
    }
    return counts_.first(batch.tiles);
  }

  void append_plans(const Division& division, const Batch& batch,
                    const std::vector<CellCounts>& counts, std::vector<BlockPlan>& plans) const {
    const Index width = width_of(division);
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      BlockPlan plan;
      const PackedBlock& packed = batch.packed[i];
      for (Index tile = 0; tile < batch.blocks[i].tiles; ++tile) {
        const CellCounts& found = counts[batch.blocks[i].first_tile + tile];
        plan.cells.push_back({.tile = tile,
                              .columns = 2 * std::min(width, packed.pairs - tile * width),
                              .runs = found.runs,
                              .elements = found.elements,
                              .row_parts = found.row_parts,
                              .units = ceiling(found.codes, kUnitElements)});
      }
      // The last pair may extend beyond the last column.
      if (2 * packed.end > shape_.columns) --plan.cells.back().columns;
      choose_cells(plan, geometry_);
      plans.push_back(std::move(plan));
    }
  }

  /// Lists the kept cells and sets their range in the blocks' views.
  static std::vector<KeptCell> number_cells(const Batch& batch,
                                            const std::vector<BlockPlan>& plans) {
    std::vector<KeptCell> cells;
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      batch.blocks[i].first_cell = std::ssize(cells);
      for (const Cell& cell : plans[batch.numbers[i]].cells)
        if (cell.kept)
          cells.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(cell.tile),
                           static_cast<std::uint32_t>(cell.units),
                           static_cast<std::uint32_t>(cell.columns)});
      batch.blocks[i].last_cell = std::ssize(cells);
    }
    return cells;
  }

  void lay_out_cells(const Batch& batch, const BlockView* blocks, const std::vector<KeptCell>& kept,
                     Index first_cell, const Division& division, Tiled& matrix) {
    const Index count = std::ssize(kept);
    if (count == 0) return;
    const KeptCell* cells = cells_.copy_of(kept);
    Index* first_units = first_units_.at_least(count * kTileWarps);
    RunStart* starts = starts_.at_least(count * kTileThreads);
    std::uint16_t* lane_rows = matrix.lane_rows.data() + first_cell * kTileThreads;
    place_units<<<static_cast<unsigned>(batch.blocks.size()), kTileWarps, 0, stream()>>>(
        blocks, cells, matrix.warp_units.data() + batch.numbers.front() * kTileWarps,
        matrix.cell_units.data() + first_cell * kTileWarps, first_units);
    base::cuda::check_launch("place_units");
    write_runs<<<blocks_for(count, kWarpsOfBlock), kThreads, 0, stream()>>>(
        blocks, cells, count, batches_.words(), width_of(division),
        matrix.cell_runs.data() + first_cell, matrix.runs.data());
    base::cuda::check_launch("write_runs");
    find_starts<<<blocks_for(count, kWarpsOfBlock), kThreads, 0, stream()>>>(
        blocks, cells, count, division.code, parts_.data(), starts, lane_rows);
    base::cuda::check_launch("find_starts");
    lay_out<<<blocks_for(count * kTileWarps, kLayoutWarps), kLayoutWarps * 32, 0, stream()>>>(
        {blocks, cells, count, parts_.data(), starts, lane_rows, first_units, window_.view(),
         width_of(division), division.code, matrix.vectors, matrix.units.data(),
         matrix.values() == ValueEncoding::coded ? matrix.coded_units.data() : nullptr});
    base::cuda::check_launch("lay_out");
  }

  /// Returns the number of elements written; `before` elements are in preceding rows of the tail.
  Index write_tail_rows(const Batch& batch, const BlockView* blocks,
                        const std::vector<BlockPlan>& plans, Index before, const Division& division,
                        Tiled& matrix) {
    std::vector<std::uint8_t> left;
    for (const Index number : batch.numbers)
      for (const Cell& cell : plans[number].cells) left.push_back(cell.kept ? 0 : 1);
    const std::uint8_t* in_tail = in_tail_.copy_of(left);
    const Index first = division.begins[batch.numbers.front()];
    const Index rows = division.begins[batch.numbers.back() + 1] - first;
    const Index count = std::ssize(batch.blocks);
    const dim3 grid = grid_of(ceiling(8192, count), count);
    count_tail<<<grid, kThreads, 0, stream()>>>(blocks, in_tail, parts_.data(),
                                                tail_lengths_.at_least(rows));
    base::cuda::check_launch("count_tail");
    Index* offsets = matrix.tail.offsets.data() + first;
    accumulate_offsets_on_device(device_, tail_lengths_.data(), rows, before, offsets);
    write_tail<<<grid, kThreads, 0, stream()>>>(blocks, in_tail, window_.view(), width_of(division),
                                                offsets, matrix.tail.columns.data(),
                                                matrix.tail.values.data());
    base::cuda::check_launch("write_tail");
    Index end = 0;
    base::copy_bytes(device_, offsets + rows, device_.host(), &end, sizeof end);
    return end - before;
  }

  RowWindow& window_;
  MatrixShape shape_;
  TileGeometry geometry_;
  base::Backend device_;
  BlockBatches batches_;
  GrowingArray<std::uint32_t> parts_;
  GrowingArray<CellCounts> counts_;
  GrowingArray<KeptCell> cells_;
  GrowingArray<RunStart> starts_;
  GrowingArray<Index> first_units_;
  GrowingArray<std::uint8_t> in_tail_;
  GrowingArray<Column> tail_lengths_;
};

}  // namespace cisolve::sparse::cuda
