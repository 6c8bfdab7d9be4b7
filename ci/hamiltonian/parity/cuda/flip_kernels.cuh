#pragma once

#include "base/block.hpp"
#include "ci/hamiltonian/parity/spin_flip.hpp"

// The swap of alpha and beta electrons on a device: a thread block transposes a piece through
// shared memory, so that both the piece and its image are accessed coalesced.
namespace cisolve::ci::cuda {

inline constexpr int kFlipTile = SpinFlipView::kTile;
inline constexpr int kFlipRows = 8;  // rows of a tile processed at once

/// The image of a piece: element [l][k] is that of (k, l).
using FlipTile = double[kFlipTile][kFlipTile + 1];

__device__ inline void take_flip(const SpinFlipView::Piece& piece, const double* x,
                                 FlipTile& flip) {
  const int k = static_cast<int>(threadIdx.x);
  for (int l = static_cast<int>(threadIdx.y); l < piece.width; l += kFlipRows)
    if (k < piece.height) flip[l][k] = x[piece.flip(k, l)];
  __syncthreads();
}

}  // namespace cisolve::ci::cuda
