#include "ci/factorised/host_kernels.hpp"

#include <algorithm>

namespace cisolve::ci {
namespace {

constexpr int kTile = 32;  // columns whose sums stay in registers
static_assert(kChunk % kTile == 0);

template <int kRows>
void multiply_tile(const double* w, Index sources, const double* b, double* g) {
  double sums[kRows][kTile] = {};
  for (Index k = 0; k < sources; ++k)
    for (int i = 0; i < kRows; ++i) {
      const double weight = w[i * sources + k];
#pragma omp simd
      for (int j = 0; j < kTile; ++j) sums[i][j] += weight * b[k * kChunk + j];
    }
  for (int i = 0; i < kRows; ++i)
#pragma omp simd
    for (int j = 0; j < kTile; ++j) g[i * kRowStride + j] = sums[i][j];
}

}  // namespace

void multiply_chunk(const double* w, Index rows, Index sources, const double* b, double* g) {
  constexpr int kRows = 4;
  for (int tile = 0; tile < kChunk; tile += kTile) {
    Index row = 0;
    for (; row + kRows <= rows; row += kRows)
      multiply_tile<kRows>(w + row * sources, sources, b + tile, g + row * kRowStride + tile);
    for (; row < rows; ++row)
      multiply_tile<1>(w + row * sources, sources, b + tile, g + row * kRowStride + tile);
  }
}

void add_moves(const ChunkMoves& moves, const double* g, double* sums) {
  const auto element = [g](ChunkMove move) {
    const double value = g[move.place()];
    return move.is_odd() ? -value : value;
  };
  double added[kLanes];
  for (int slice = 0; slice < moves.slices(); ++slice) {
    for (int lane = 0; lane < kLanes; ++lane) added[lane] = element(moves.head(slice, lane).move());
    if (slice < moves.deep())
      for (int k = moves.begin(slice); k < moves.end(slice); ++k)
        for (int lane = 0; lane < kLanes; ++lane) added[lane] += element(moves.other(k, lane));
    for (int lane = 0; lane < kLanes; ++lane) sums[moves.head(slice, lane).target()] += added[lane];
  }
}

void multiply_panel(const StringMatrix& a, const double* x, double* y) {
  for (Index row = 0; row < a.rows(); ++row) {
    double sums[kPanel] = {};
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      const double value = a.values[k];
      const double* from = x + Index{a.columns[k]} * kPanel;
#pragma omp simd
      for (int j = 0; j < kPanel; ++j) sums[j] += value * from[j];
    }
    std::copy_n(sums, kPanel, y + row * kPanel);
  }
}

}  // namespace cisolve::ci
