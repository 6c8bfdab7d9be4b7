#pragma once

#include "base/block.hpp"
#include "ci/flip/spin_flip.hpp"

// The exchange of alpha and beta electrons on a device: a block of threads has a piece and its flip
// in shared memory, so that rows of both are read and written as they lie.
namespace cisolve::ci::cuda {

inline constexpr int kFlipTile = SpinFlipView::kTile;
inline constexpr int kFlipRows = 8;       // that the threads of a block have at once
inline constexpr int kFlipBlocks = 1056;  // fixed, so that the order of sums is

/// The flip of a piece, flip[l][k] of its (k, l).
using FlipTile = double[kFlipTile][kFlipTile + 1];

__device__ inline void take_flip(const SpinFlipView::Piece& piece, const double* x,
                                 FlipTile& flip) {
  const int k = static_cast<int>(threadIdx.x);
  for (int l = static_cast<int>(threadIdx.y); l < piece.width; l += kFlipRows)
    if (k < piece.height) flip[l][k] = x[piece.flip(k, l)];
  __syncthreads();
}

__device__ inline double sum_of_block(double value, double* room) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffU, value, distance);
  __syncthreads();
  if (threadIdx.x == 0) room[threadIdx.y] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < kFlipRows; ++i) sum += room[i];
  return sum;
}

/// Partial sums for each block of threads and vector, of some of the pieces.
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    parity_norms(const SpinFlipView flips, Index first, Index last, base::ConstBlock x,
                 ParityNorms* partial) {
  __shared__ FlipTile flip;
  __shared__ double room[kFlipRows];
  const double* from = x.column(static_cast<int>(blockIdx.y));
  double even = 0;
  double odd = 0;
  for (Index number = first + blockIdx.x; number < last; number += gridDim.x) {
    const SpinFlipView::Piece piece = flips.piece(number);
    if (piece.height == 0) continue;
    __syncthreads();
    take_flip(piece, from, flip);
    const int l = static_cast<int>(threadIdx.x);
    for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kFlipRows)
      if (l < piece.width) {
        const double here = from[piece.row(k, l)];
        even += (here + flip[l][k]) * (here + flip[l][k]);
        odd += (here - flip[l][k]) * (here - flip[l][k]);
      }
  }
  const ParityNorms sum{sum_of_block(even, room), sum_of_block(odd, room)};
  if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/// y = factor (y + sign (y flipped)).
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    add_flipped(const SpinFlipView flips, double factor, double sign, double* y) {
  __shared__ FlipTile flip;
  const SpinFlipView::Piece piece = flips.piece(blockIdx.x);
  if (piece.height == 0) return;
  take_flip(piece, y, flip);
  const int l = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kFlipRows)
    if (l < piece.width) {
      const double sum = factor * (y[piece.row(k, l)] + sign * flip[l][k]);
      y[piece.row(k, l)] = sum;
      flip[l][k] = sign * sum;
    }
  if (piece.is_its_own_flip) return;
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  for (int m = static_cast<int>(threadIdx.y); m < piece.width; m += kFlipRows)
    if (k < piece.height) y[piece.flip(k, m)] = flip[m][k];
}

}  // namespace cisolve::ci::cuda
