#pragma once

#include "base/block.hpp"
#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

// The swap of alpha and beta electrons on a device: a thread block transposes a piece through
// shared memory, so that both the piece and the swapped one are accessed coalesced.
namespace cisolve::ci::cuda {

inline constexpr int kSwapTile = AlphaBetaSwapView::kTile;
inline constexpr int kSwapRows = 8;  // rows of a tile processed at once

/// The swapped elements of a piece: [l][k] is at P(k, l).
using SwapTile = double[kSwapTile][kSwapTile + 1];

__device__ inline void load_swapped(const AlphaBetaSwapView::Piece& piece, const double* x,
                                    SwapTile& swap) {
  const int k = static_cast<int>(threadIdx.x);
  for (int l = static_cast<int>(threadIdx.y); l < piece.width; l += kSwapRows)
    if (k < piece.height) swap[l][k] = x[piece.swapped(k, l)];
  __syncthreads();
}

}  // namespace cisolve::ci::cuda
