#pragma once

#include "sparse/tiled/cuda/block_view.cuh"
#include "sparse/tiled/tiled.hpp"

// Parts of rows in each cell, and the resulting length of the cell's code sequence.
namespace cisolve::sparse::cuda {

/// Finds the first element of each tile in each row, and the end; one warp per row.
__global__ void find_parts(const BlockView* blocks, WindowView window, std::uint32_t width,
                           std::uint32_t* parts) {
  const BlockView block = blocks[blockIdx.y];
  const TilePlaces places{block.pairs, width};
  const int lane = lane_of_warp();
  for (Index row = warp_in_grid(); row < block.rows; row += Index{gridDim.x} * blockDim.x / 32) {
    const Index begin = window.offsets[block.first_row + row];
    const Index length = window.offsets[block.first_row + row + 1] - begin;
    std::uint32_t* mine = parts + block.first_part + row * (block.tiles + 1);
    int last = -1;  // tile of the preceding element
    for (Index first = 0; first < length; first += 32) {
      const Index k = first + lane;
      const int tile = k < length ? static_cast<int>(places.tile(window.columns[begin + k])) : 0;
      int before = __shfl_up_sync(kWholeWarp, tile, 1);
      if (lane == 0) before = last;
      if (k < length)
        for (int t = before + 1; t <= tile; ++t) mine[t] = static_cast<std::uint32_t>(k);
      last = __shfl_sync(kWholeWarp, tile,
                         length - first < 32 ? static_cast<int>(length - first) - 1 : 31);
    }
    for (Index t = last + 1 + lane; t <= block.tiles; t += 32)
      mine[t] = static_cast<std::uint32_t>(length);
  }
}

/// Calls visit(row, elements, row before) for all rows of a block, one per lane. `elements` is the
/// row's number of elements in the tile, 0 for a row without any and for up to 127 rows past the
/// end of the block, which are visited, too; `row before` is the last preceding row with any, or
/// row 0. Returns the last row with any element, or 0. To be called by a whole warp.
template <class Visit>
__device__ Index for_each_row_of_tile(const BlockView& block, const std::uint32_t* parts,
                                      Index tile, Visit&& visit) {
  constexpr int kAhead = 4;  // groups of rows loaded together
  const Index step = block.tiles + 1;
  const std::uint32_t* at = parts + block.first_part + tile;
  Index row_before = 0;
  for (Index first = 0; first < block.rows; first += 32 * kAhead) {
    std::uint32_t counts[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const Index row = first + 32 * k + lane_of_warp();
      counts[k] = row < block.rows ? at[row * step + 1] - at[row * step] : 0;
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const Index group = first + 32 * k;
      const unsigned some = __ballot_sync(kWholeWarp, counts[k] != 0);
      const unsigned lower = some & ((1U << lane_of_warp()) - 1);
      visit(group + lane_of_warp(), counts[k],
            lower == 0 ? row_before : group + 31 - __clz(static_cast<int>(lower)));
      if (some != 0) row_before = group + 31 - __clz(static_cast<int>(some));
    }
  }
  return row_before;
}

__device__ inline Index sum_of_warp(Index value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kWholeWarp, value, distance);
  return value;
}

/// Number of jumps before an element `rows` rows further down.
__device__ inline Index jumps_over(TileCode code, Index rows) {
  const Index most = code.jump();
  return rows < most ? 0 : (rows - most) / code.longest_jump() + 1;
}

/// Counts of a cell.
struct CellCounts {
  Index elements;
  Index row_parts;
  Index codes;  // elements and jumps
  Index runs;   // runs of its columns
};

/// One warp per tile.
__global__ void count_codes(const BlockView* blocks, TileCode code, const std::uint32_t* parts,
                            CellCounts* all) {
  const BlockView block = blocks[blockIdx.y];
  const Index tile = warp_in_grid();
  if (tile >= block.tiles) return;
  Index elements = 0;
  Index row_parts = 0;
  Index jumps = 0;
  for_each_row_of_tile(block, parts, tile, [&](Index row, std::uint32_t mine, Index row_before) {
    if (mine == 0) return;
    elements += mine;
    ++row_parts;
    jumps += jumps_over(code, row - row_before);
  });
  elements = sum_of_warp(elements);
  row_parts = sum_of_warp(row_parts);
  jumps = sum_of_warp(jumps);
  if (lane_of_warp() == 0)
    all[block.first_tile + tile] = {elements, row_parts, elements + jumps, 0};
}

/// Calls visit(number of the run, its first pair, position of that pair in the tile) for the runs
/// of a tile, in any order; returns their number. A run is a sequence of adjacent column pairs. To
/// be called by a whole warp.
template <class Visit>
__device__ Index for_each_run(const PairWord* pairs, Index words, std::uint32_t width,
                              std::uint32_t tile, Visit&& visit) {
  const std::uint32_t begin = tile * width;
  const std::uint32_t end = begin + width;
  Index first = 0;  // the word with the first pair
  for (Index last = words; last - first > 1;) {
    const Index middle = (first + last) / 2;
    (pairs[middle].before <= begin ? first : last) = middle;
  }
  Index found = 0;
  for (; first < words && pairs[first].before < end; first += 32) {
    const Index number = first + lane_of_warp();
    const PairWord word = number < words ? pairs[number] : PairWord{0, end};
    const unsigned long long carry =
        number > 0 && number < words ? pairs[number - 1].bits >> 63 : 0;
    const unsigned long long after_gap = word.bits & ~(word.bits << 1 | carry);
    unsigned long long starts = 0;
    std::uint32_t rank = word.before;
    for (unsigned long long rest = word.bits; rest != 0 && rank < end; rest &= rest - 1, ++rank) {
      const unsigned long long bit = rest & (~rest + 1);
      if (rank == begin || (rank > begin && (after_gap & bit) != 0)) starts |= bit;
    }
    std::uint32_t all = 0;
    Index next = found + sum_before(static_cast<std::uint32_t>(__popcll(starts)), all);
    for (; starts != 0; starts &= starts - 1) {
      const int bit = __ffsll(static_cast<long long>(starts)) - 1;
      visit(next++, number * 64 + bit,
            word.before + __popcll(word.bits & ((1ULL << bit) - 1)) - begin);
    }
    found += all;
  }
  return found;
}

/// One warp per tile.
__global__ void count_runs(const BlockView* blocks, Index words, std::uint32_t width,
                           CellCounts* all) {
  const BlockView block = blocks[blockIdx.y];
  const Index tile = warp_in_grid();
  if (tile >= block.tiles) return;
  const Index runs = for_each_run(block.pairs, words, width, static_cast<std::uint32_t>(tile),
                                  [](Index, Index, std::uint32_t) {});
  if (lane_of_warp() == 0) all[block.first_tile + tile].runs = runs;
}

}  // namespace cisolve::sparse::cuda
