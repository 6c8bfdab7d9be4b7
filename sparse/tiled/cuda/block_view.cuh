#pragma once

#include "base/types.hpp"

// Views of rows and blocks for the kernels that lay out tiles.
namespace cisolve::sparse::cuda {

using base::Column;
using base::Index;

/// Contiguous rows in the memory of a device.
struct WindowView {
  const Index* offsets;  // offsets of the rows and of the end, from 0
  const Column* columns;
  const double* values;
};

/// Sixty-four pairs of neighbouring columns.
struct alignas(16) PairWord {
  unsigned long long bits;  // pairs that are in a tile
  std::uint32_t before;     // number of pairs in the preceding words
};

/// A block of rows of the window. Tiles, parts and cells are counted from the first block of the
/// batch.
struct BlockView {
  Index first_row;  // first row in the window
  Index rows;
  PairWord* pairs;
  Index tiles;
  Index first_tile;
  Index first_part;  // first of the block's rows x (tiles + 1) parts
  Index first_cell;  // first of the kept cells
  Index last_cell;   // one past the last kept cell
};

/// Position of a column among the pairs of a block's tiles; all tiles but the last are full.
struct TilePlaces {
  const PairWord* pairs;
  std::uint32_t width;  // width of a tile, in pairs

  __device__ PairWord word(Column column) const { return pairs[column / 128]; }
  __device__ static std::uint32_t rank(const PairWord& word, Column column) {
    return word.before + __popcll(word.bits & ((1ULL << column / 2 % 64) - 1));
  }
  __device__ std::uint32_t tile(Column column) const { return rank(word(column), column) / width; }
};

inline constexpr unsigned kWholeWarp = 0xffffffffU;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }

/// Number of the warp among those of a grid row.
__device__ inline Index warp_in_grid() {
  return (Index{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
}

/// Exclusive prefix sum over the lanes of a warp.
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
