#include "base/cuda/context.hpp"
#include "ci/flip/cuda/device_flip.hpp"
#include "ci/flip/cuda/flip_kernels.cuh"

namespace cisolve::ci::cuda {

namespace {

using base::cuda::check_launch;

constexpr int kFlipBlocks = 1056;  // fixed, so that the order of sums is

__device__ double sum_of_block(double value, double* room) {
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

}  // namespace

FlipOnDevice::FlipOnDevice(const SpinFlip& flip, const base::Backend& device)
    : device_(device),
      flip_(flip.to(device)),
      partial_(device, Index{kMostAtOnce} * kFlipBlocks, "the parities of vectors"),
      norms_(base::Backend::reference(), partial_.size(), "the parities of vectors") {}

std::vector<ParityNorms> FlipOnDevice::norms_of(base::ConstBlock x, int part, int parts) const {
  const Index pieces = flip_.view().pieces;
  const dim3 grid(kFlipBlocks, static_cast<unsigned>(x.columns));
  parity_norms<<<grid, dim3(kFlipTile, kFlipRows), 0, device_.device().stream()>>>(
      flip_.view(), pieces * part / parts, pieces * (part + 1) / parts, x, partial_.data());
  check_launch("parity_norms");
  base::copy_bytes(device_, partial_.data(), norms_.backend(), norms_.data(),
                   x.columns * kFlipBlocks * Index{sizeof(ParityNorms)});
  std::vector<ParityNorms> all(x.columns);
  for (int j = 0; j < x.columns; ++j)
    for (Index i = j * kFlipBlocks; i < (j + 1) * kFlipBlocks; ++i) {
      all[j].even += norms_[i].even;
      all[j].odd += norms_[i].odd;
    }
  return all;
}

void FlipOnDevice::add_flipped_to(double* y, Parity parity, double factor) const {
  const double sign = parity == Parity::even ? 1 : -1;
  add_flipped<<<static_cast<unsigned>(flip_.view().pieces), dim3(kFlipTile, kFlipRows), 0,
                device_.device().stream()>>>(flip_.view(), factor, sign, y);
  check_launch("add_flipped");
}

}  // namespace cisolve::ci::cuda
