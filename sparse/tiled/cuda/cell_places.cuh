#pragma once

#include "sparse/tiled/cuda/cell_parts.cuh"

// Positions of the cells, and the element at which each lane begins.
namespace cisolve::sparse::cuda {

/// A kept cell, numbered as in the matrix but from the batch's first cell on.
struct KeptCell {
  std::uint32_t block;  // number in the batch
  std::uint32_t tile;
  std::uint32_t units;
  std::uint32_t columns;

  /// Number of units of the preceding warps.
  __device__ Index units_before(int warp) const { return Index{warp} * units / kTileWarps; }
  __device__ Index warp_units(int warp) const {
    return units_before(warp + 1) - units_before(warp);
  }
};

/// Writes the number of units of each warp and cell, and their first unit.
__global__ void __launch_bounds__(kTileWarps)
    place_units(const BlockView* blocks, const KeptCell* cells, const Index* warp_units,
                std::uint32_t* cell_units, Index* first_units) {
  const BlockView block = blocks[blockIdx.x];
  const int warp = static_cast<int>(threadIdx.x);
  Index next = warp_units[Index{blockIdx.x} * kTileWarps + warp];
  for (Index cell = block.first_cell; cell < block.last_cell; ++cell) {
    const Index count = cells[cell].warp_units(warp);
    cell_units[cell * kTileWarps + warp] = static_cast<std::uint32_t>(count);
    first_units[cell * kTileWarps + warp] = next;
    next += count;
  }
}

/// Start of a lane: an element of a row, or the end of all rows.
struct RunStart {
  std::uint32_t row;
  std::uint32_t element;  // among the row's elements in the tile
};

/// Ascending positions in a cell's sequence at which its lanes begin.
class RunPlaces {
 public:
  __device__ explicit RunPlaces(const KeptCell& cell) : cell_(cell) { find(); }

  __device__ bool done() const { return number_ == kTileThreads; }
  __device__ int number() const { return number_; }
  __device__ Index place() const { return place_; }
  __device__ void advance() {
    ++number_;
    find();
  }

 private:
  /// A warp without units starts in the row of the last preceding element.
  __device__ void find() {
    const int warp = number_ / kTileLanes;
    const Index begin = cell_.units_before(warp) * kUnitElements;
    const Index units = cell_.warp_units(warp);
    place_ =
        units > 0 ? begin + number_ % kTileLanes * units * kUnitWidth : (begin > 0 ? begin - 1 : 0);
  }

  const KeptCell cell_;
  int number_ = 0;
  Index place_ = 0;
};

/// One warp per cell; each lane handles the positions in its row.
__global__ void find_starts(const BlockView* blocks, const KeptCell* cells, Index count,
                            TileCode code, const std::uint32_t* parts, RunStart* starts,
                            std::uint16_t* lane_rows) {
  const Index number = warp_in_grid();
  if (number >= count) return;
  const KeptCell cell = cells[number];
  const BlockView block = blocks[cell.block];
  RunPlaces next(cell);
  const auto begin_run = [&](Index row_before, Index row, Index element) {
    const Index run = number * kTileThreads + next.number();
    lane_rows[run] = static_cast<std::uint16_t>(row_before);
    starts[run] = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(element)};
  };
  Index codes = 0;  // codes in the rows before the warp's current ones
  const auto find = [&](Index row, std::uint32_t elements, Index row_before) {
    const Index jumps = elements == 0 ? 0 : jumps_over(code, row - row_before);
    const auto mine = static_cast<std::uint32_t>(jumps) + elements;
    std::uint32_t all = 0;
    const Index first = codes + sum_before(mine, all);
    codes += all;
    for (; !next.done() && next.place() < codes; next.advance()) {
      const Index k = next.place() - first;
      if (k < 0 || k >= mine) continue;
      const Index jumped = row_before + (k < jumps ? k : jumps) * Index{code.longest_jump()};
      if (k <= jumps)
        begin_run(jumped < row ? jumped : row, row, 0);
      else
        begin_run(row, row, k - jumps);
    }
  };
  const Index last_row = for_each_row_of_tile(block, parts, cell.tile, find);
  if (lane_of_warp() != 0) return;
  for (; !next.done(); next.advance()) begin_run(last_row, block.rows, 0);
}

/// Writes the runs of columns of the tiles; one warp per cell.
__global__ void write_runs(const BlockView* blocks, const KeptCell* cells, Index count, Index words,
                           std::uint32_t width, const Index* cell_runs, TileRun* runs) {
  const Index number = warp_in_grid();
  if (number >= count) return;
  const KeptCell cell = cells[number];
  TileRun* mine = runs + cell_runs[number];
  const auto write = [&](Index k, Index pair, std::uint32_t place) {
    mine[k].first = static_cast<std::uint32_t>(2 * pair);
    mine[k].place = static_cast<std::uint16_t>(2 * place);
  };
  const Index found = for_each_run(blocks[cell.block].pairs, words, width, cell.tile, write);
  __syncwarp();
  for (Index k = lane_of_warp(); k < found; k += 32) {
    const std::uint32_t end = k + 1 < found ? mine[k + 1].place : cell.columns;
    mine[k].count = static_cast<std::uint16_t>(end - mine[k].place);
  }
}

}  // namespace cisolve::sparse::cuda
