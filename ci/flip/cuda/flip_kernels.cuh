#pragma once

#include "base/block.hpp"
#include "ci/flip/spin_flip.hpp"

// The exchange of alpha and beta electrons on a device: a block of threads has a piece and its flip
// in shared memory, so that rows of both are read and written as they lie.
namespace cisolve::ci::cuda {

inline constexpr int kFlipTile = SpinFlipView::kTile;
inline constexpr int kFlipRows = 8;  // that the threads of a block have at once

/// The flip of a piece, flip[l][k] of its (k, l).
using FlipTile = double[kFlipTile][kFlipTile + 1];

__device__ inline void take_flip(const SpinFlipView::Piece& piece, const double* x,
                                 FlipTile& flip) {
  const int k = static_cast<int>(threadIdx.x);
  for (int l = static_cast<int>(threadIdx.y); l < piece.width; l += kFlipRows)
    if (k < piece.height) flip[l][k] = x[piece.flip(k, l)];
  __syncthreads();
}

}  // namespace cisolve::ci::cuda
