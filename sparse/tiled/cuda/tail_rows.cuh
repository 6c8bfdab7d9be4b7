#pragma once

#include "sparse/tiled/cuda/block_view.cuh"

// The tail's elements of each row.
namespace cisolve::sparse::cuda {

/// Counts the elements of each row in tiles left to the tail; one warp per row. `rows` counts from
/// the first row of the first block.
__global__ void count_tail(const BlockView* blocks, const std::uint8_t* in_tail,
                           const std::uint32_t* parts, Column* rows) {
  const BlockView block = blocks[blockIdx.y];
  const Index first_row = block.first_row - blocks[0].first_row;
  for (Index row = warp_in_grid(); row < block.rows; row += Index{gridDim.x} * blockDim.x / 32) {
    const std::uint32_t* mine = parts + block.first_part + row * (block.tiles + 1);
    std::uint32_t count = 0;
    for (Index tile = lane_of_warp(); tile < block.tiles; tile += 32)
      if (in_tail[block.first_tile + tile] != 0) count += mine[tile + 1] - mine[tile];
    count = __reduce_add_sync(kWholeWarp, count);
    if (lane_of_warp() == 0) rows[first_row + row] = static_cast<Column>(count);
  }
}

/// Copies these elements; `offsets` are those of the same rows in the tail.
__global__ void write_tail(const BlockView* blocks, const std::uint8_t* in_tail, WindowView window,
                           std::uint32_t width, const Index* offsets, Column* columns,
                           double* values) {
  const BlockView block = blocks[blockIdx.y];
  const TilePlaces places{block.pairs, width};
  const Index first_row = block.first_row - blocks[0].first_row;
  const int lane = lane_of_warp();
  for (Index row = warp_in_grid(); row < block.rows; row += Index{gridDim.x} * blockDim.x / 32) {
    const Index end = window.offsets[block.first_row + row + 1];
    Index next = offsets[first_row + row];
    for (Index first = window.offsets[block.first_row + row]; first < end; first += 32) {
      const Index k = first + lane;
      const Column column = k < end ? window.columns[k] : 0;
      const bool goes = k < end && in_tail[block.first_tile + places.tile(column)] != 0;
      const unsigned all = __ballot_sync(kWholeWarp, goes);
      if (goes) {
        const Index place = next + __popc(all & ((1U << lane) - 1));
        columns[place] = column;
        values[place] = window.values[k];
      }
      next += __popc(all);
    }
  }
}

}  // namespace cisolve::sparse::cuda
