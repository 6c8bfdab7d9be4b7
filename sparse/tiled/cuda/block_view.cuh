#pragma once

#include "base/types.hpp"

// What the kernels that lay out tiles know of the rows and blocks that they work on.
namespace cisolve::sparse::cuda {

using base::Column;
using base::Index;

/// Rows that stand side by side in the memory of a device.
struct WindowView {
  const Index* offsets;  // of the rows and the end, from 0
  const Column* columns;
  const double* values;
};

/// Sixty-four pairs of neighbouring columns.
struct alignas(16) PairWord {
  unsigned long long bits;  // the pairs that are in a tile
  std::uint32_t before;     // how many are in the words before
};

/// A block of rows of the window. Tiles, parts and cells are counted from the first block on that
/// is worked on at the same time.
struct BlockView {
  Index first_row;  // in the window
  Index rows;
  PairWord* pairs;
  Index tiles;
  Index first_tile;
  Index first_part;  // of its rows x (tiles + 1) parts
  Index first_cell;  // of those that are kept
  Index last_cell;   // the one after
};

/// A place among the pairs of all tiles of a block: all tiles but the last one are full.
struct TilePlaces {
  const PairWord* pairs;
  std::uint32_t width;  // of a tile, in pairs

  __device__ PairWord word(Column column) const { return pairs[column / 128]; }
  __device__ static std::uint32_t rank(const PairWord& word, Column column) {
    return word.before + __popcll(word.bits & ((1ULL << column / 2 % 64) - 1));
  }
  __device__ std::uint32_t tile(Column column) const { return rank(word(column), column) / width; }
};

inline constexpr unsigned kWholeWarp = 0xffffffffU;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }

/// Among all warps of a row of blocks of threads.
__device__ inline Index warp_in_grid() {
  return (Index{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
}

/// The sum of what the lanes before this one have.
__device__ inline std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
  std::uint32_t sum = value;
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, distance);
    if (lane_of_warp() >= distance) sum += other;
  }
  all = __shfl_sync(kWholeWarp, sum, 31);
  return sum - value;
}

}  // namespace cisolve::sparse::cuda
