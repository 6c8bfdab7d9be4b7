#pragma once

#include "base/types.hpp"

// Whether the square matrix of a state, alpha by beta strings, is symmetric or antisymmetric.
namespace cisolve::ci::cuda {

using base::Index;

inline constexpr int kMirrorTile = 32;
inline constexpr int kMirrorRows = 8;  // rows of a tile that a block handles at once

/// Sets differs[0] if x is not even, differs[1] if it is not odd. One block for each tile on or
/// above the diagonal; blocks below return.
__global__ void __launch_bounds__(kMirrorTile* kMirrorRows)
    compare_with_mirror(const double* x, Index n, int* differs) {
  __shared__ double mirror[kMirrorTile][kMirrorTile + 1];
  if (blockIdx.y > blockIdx.x) return;
  const Index row = Index{blockIdx.y} * kMirrorTile;
  const Index column = Index{blockIdx.x} * kMirrorTile;
  const int lane = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < kMirrorTile; k += kMirrorRows)
    if (column + k < n && row + lane < n) mirror[k][lane] = x[(column + k) * n + row + lane];
  __syncthreads();
  int even = 0;
  int odd = 0;
  for (int k = static_cast<int>(threadIdx.y); k < kMirrorTile; k += kMirrorRows) {
    if (row + k >= n || column + lane >= n) continue;
    const double here = x[(row + k) * n + column + lane];
    const double there = mirror[lane][k];
    if (!(here == there)) even = 1;
    if (!(here == -there)) odd = 1;
  }
  even = __syncthreads_or(even);
  odd = __syncthreads_or(odd);
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
  if (even != 0) atomicOr(differs, 1);
  if (odd != 0) atomicOr(differs + 1, 1);
}

}  // namespace cisolve::ci::cuda
