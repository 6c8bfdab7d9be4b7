#pragma once

#include "base/cuda/context.hpp"
#include "sparse/diagonal/pair_groups.hpp"

// C = A B + beta C: a warp computes some rows of a few neighbouring diagonals of the result, each
// thread a few rows of all of them with the sums in registers. Warps of a block walk along the
// pairs by ascending diagonals of A for the same rows, so that common values of A and B come from
// the L1 cache. Every element of C is written once, with a fixed order of summation.
namespace cisolve::sparse::cuda {

struct PairProduct {
  Index rows;
  Index inner;
  Index columns;
  Index outputs;  // diagonals of the result
  Index groups;
  const DiagonalTerm* output;
  const Index* group_offsets;
  const DiagonalPair* pairs;  // the pairs of PairGroups
  const Index* steps;
  const double* a;
  const double* b;
  double beta;
  double* c;
};

/// Tiling: rows per thread, diagonals per warp, warps per block.
template <int Rows, int Outputs, int Warps>
struct PairShape {
  static constexpr int kRows = Rows;
  static constexpr int kOutputs = Outputs;
  static constexpr int kWarps = Warps;
  static constexpr int kTile = 32 * Rows;
  static constexpr int kThreads = 32 * Warps;
};

/// Tiles of rows that run concurrently, so that the values of B they have in common stay in the L2
/// cache.
constexpr Index kTilesTogether = 8;

/// Values of A and B of one pair, prefetched.
template <int Rows>
struct PairValues {
  double a[Rows];
  double b[Rows];
  int output;

  __device__ __forceinline__ void fetch(const PairProduct& p, const DiagonalPair& pair, Index row) {
    output = static_cast<int>(pair.a) & static_cast<int>(PairGroups::kMostOutputs - 1);
    const double* of_a = p.a + ((pair.a >> PairGroups::kBits) + row);
    const double* of_b = p.b + (pair.b + row);
#pragma unroll
    for (int r = 0; r < Rows; ++r) a[r] = __ldg(of_a + 32 * r);
#pragma unroll
    for (int r = 0; r < Rows; ++r) b[r] = __ldg(of_b + 32 * r);
  }

  /// Loads only elements that exist in both matrices; zeros otherwise.
  __device__ __forceinline__ void fetch_within(const PairProduct& p, const DiagonalPair& pair,
                                               Index step, Index shift, Index row) {
    output = static_cast<int>(pair.a) & static_cast<int>(PairGroups::kMostOutputs - 1);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const Index i = row + 32 * r;
      const bool is_there = i < p.rows && i + step >= 0 && i + step < p.inner && i + shift >= 0 &&
                            i + shift < p.columns;
      a[r] = is_there ? __ldg(p.a + ((pair.a >> PairGroups::kBits) + i)) : 0;
      b[r] = is_there ? __ldg(p.b + (pair.b + i)) : 0;
    }
  }
};

/// Accumulators of a thread; the output of a pair is uniform in a warp.
template <int Outputs, int Rows>
struct PairSums {
  double of[Outputs][Rows];

  template <int K>
  __device__ __forceinline__ void add_to(const PairValues<Rows>& values) {
    if constexpr (K < Outputs)
#pragma unroll
      for (int r = 0; r < Rows; ++r) of[K][r] = fma(values.a[r], values.b[r], of[K][r]);
  }
  __device__ __forceinline__ void add(const PairValues<Rows>& values) {
    switch (values.output) {
      case 0: add_to<0>(values); break;
      case 1: add_to<1>(values); break;
      case 2: add_to<2>(values); break;
      case 3: add_to<3>(values); break;
      case 4: add_to<4>(values); break;
      case 5: add_to<5>(values); break;
      case 6: add_to<6>(values); break;
      case 7: add_to<7>(values); break;
      case 8: add_to<8>(values); break;
      case 9: add_to<9>(values); break;
      case 10: add_to<10>(values); break;
      case 11: add_to<11>(values); break;
      case 12: add_to<12>(values); break;
      case 13: add_to<13>(values); break;
      case 14: add_to<14>(values); break;
      default: add_to<15>(values); break;
    }
  }
};

/// Index of the first pair in [first, last) with at least this step.
__device__ inline Index first_from(const Index* steps, Index first, Index last, Index step) {
  while (first < last) {
    const Index middle = first + (last - first) / 2;
    if (__ldg(steps + middle) < step)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

__device__ __forceinline__ DiagonalPair read_pair(const DiagonalPair* place) {
  const longlong2 both = __ldg(reinterpret_cast<const longlong2*>(place));
  return {both.x, both.y};
}

/// Range of pairs with both values in some row of the tile, and the part of it with both in all
/// rows.
struct PairRange {
  Index first;
  Index first_whole;
  Index last_whole;
  Index last;
};

template <int Rows>
__device__ __forceinline__ void fetch(PairValues<Rows>& values, const PairProduct& p,
                                      const PairRange& range, Index t, const DiagonalPair& pair,
                                      Index first_output, Index row) {
  if (t >= range.first_whole && t < range.last_whole) return values.fetch(p, pair, row);
  const Index number = first_output + (pair.a & (PairGroups::kMostOutputs - 1));
  values.fetch_within(p, pair, p.steps[t], p.output[number].shift, row);
}

/// Prefetches the values of the next pair while one is multiplied.
template <int Outputs, int Rows>
__device__ __forceinline__ void add_pairs(PairSums<Outputs, Rows>& sums, const PairProduct& p,
                                          const PairRange& range, Index first_output, Index row) {
  if (range.first >= range.last) return;
  const auto pair = [&](Index t) { return read_pair(p.pairs + min(t, range.last - 1)); };
  PairValues<Rows> now;
  PairValues<Rows> then;
  fetch(now, p, range, range.first, pair(range.first), first_output, row);
  DiagonalPair next = pair(range.first + 1);
  for (Index t = range.first; t < range.last; t += 2) {
    if (t + 1 < range.last) fetch(then, p, range, t + 1, next, first_output, row);
    next = pair(t + 2);
    sums.add(now);
    if (t + 1 >= range.last) break;
    if (t + 2 < range.last) fetch(now, p, range, t + 2, next, first_output, row);
    next = pair(t + 3);
    sums.add(then);
  }
}

/// Whether some row, or every row, of a tile lies within a diagonal of the result.
struct TileWithin {
  bool some = false;
  bool all = true;
  __device__ void include_diagonal(const PairProduct& p, Index shift, Index first, Index last) {
    const Index from = max(Index{0}, -shift);
    const Index to = min(p.rows, p.columns - shift);
    some = some || (from < last && first < to);
    all = all && from <= first && last <= to;
  }
};

/// Order of blocks: neighbouring tiles and groups follow each other.
struct TilePlace {
  Index tile;
  Index group;
  __device__ TilePlace(Index block, Index tiles, Index blocks_of_groups) {
    const Index strip = block / (kTilesTogether * blocks_of_groups);
    const Index within = block - strip * kTilesTogether * blocks_of_groups;
    const Index height = min(kTilesTogether, tiles - strip * kTilesTogether);
    tile = strip * kTilesTogether + within % height;
    group = within / height;
  }
};

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads) pair_product(const PairProduct p) {
  constexpr int kRows = Shape::kRows;
  constexpr int kOutputs = Shape::kOutputs;
  const Index tiles = (p.rows + Shape::kTile - 1) / Shape::kTile;
  const TilePlace place(blockIdx.x, tiles, (p.groups + Shape::kWarps - 1) / Shape::kWarps);
  const Index group = place.group * Shape::kWarps + threadIdx.x / 32;
  if (group >= p.groups) return;
  const Index first = place.tile * Shape::kTile;
  const Index last = first + Shape::kTile;
  const Index row = first + threadIdx.x % 32;
  const Index first_output = group * kOutputs;
  const Index last_output = min(first_output + kOutputs, p.outputs);
  TileWithin within;
  for (Index k = first_output; k < last_output; ++k)
    within.include_diagonal(p, p.output[k].shift, first, last);
  if (!within.some) return;
  PairSums<kOutputs, kRows> sums = {};
  const Index begin = p.group_offsets[group];
  const Index end = p.group_offsets[group + 1];
  PairRange range{};
  range.first = first_from(p.steps, begin, end, 1 - last);
  range.last = first_from(p.steps, range.first, end, p.inner - first);
  if (within.all) {
    range.first_whole = first_from(p.steps, range.first, range.last, -first);
    range.last_whole = first_from(p.steps, range.first_whole, range.last, p.inner - last + 1);
  }
  add_pairs(sums, p, range, first_output, row);
#pragma unroll
  for (int k = 0; k < kOutputs; ++k) {
    if (first_output + k >= last_output) break;
    const DiagonalTerm target = p.output[first_output + k];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const Index i = row + 32 * r;
      if (i >= p.rows || i + target.shift < 0 || i + target.shift >= p.columns) continue;
      double* c = p.c + target.base + i;
      __stcs(c, p.beta == 0 ? sums.of[k][r] : fma(p.beta, *c, sums.of[k][r]));
    }
  }
}

template <class Shape>
void launch_pair_product(const PairProduct& product, cudaStream_t stream) {
  const Index tiles = (product.rows + Shape::kTile - 1) / Shape::kTile;
  const Index blocks = tiles * ((product.groups + Shape::kWarps - 1) / Shape::kWarps);
  if (blocks == 0) return;
  pair_product<Shape><<<static_cast<unsigned>(blocks), Shape::kThreads, 0, stream>>>(product);
  base::cuda::check_launch("pair_product");
}

}  // namespace cisolve::sparse::cuda
