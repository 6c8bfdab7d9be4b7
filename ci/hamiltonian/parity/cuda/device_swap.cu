#include <algorithm>

#include "base/cuda/small_transfers.cuh"
#include "ci/hamiltonian/parity/cuda/device_swap.hpp"
#include "ci/hamiltonian/parity/cuda/swap_kernels.cuh"

namespace cisolve::ci::cuda {

namespace {

using base::cuda::check_launch;

constexpr Index kSwapBlocks = 1056;  // most blocks on any device: sums keep their order

__device__ double sum_of_block(double value, double* partial_sums) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffU, value, distance);
  __syncthreads();
  if (threadIdx.x == 0) partial_sums[threadIdx.y] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < kSwapRows; ++i) sum += partial_sums[i];
  return sum;
}

/// Partial sums of the parity norms, of each thread block and vector, over a range of pieces.
__global__ void __launch_bounds__(kSwapTile* kSwapRows)
    parity_norms(const AlphaBetaSwapView swaps, Index first, Index last, base::ConstBlock x,
                 ParityNorms* partial) {
  __shared__ SwapTile swap;
  __shared__ double partial_sums[kSwapRows];
  const double* from = x.column(static_cast<int>(blockIdx.y));
  double even = 0;
  double odd = 0;
  for (Index number = first + blockIdx.x; number < last; number += gridDim.x) {
    const AlphaBetaSwapView::Piece piece = swaps.piece(number);
    if (piece.height == 0) continue;
    __syncthreads();
    load_swapped(piece, from, swap);
    const int l = static_cast<int>(threadIdx.x);
    for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kSwapRows)
      if (l < piece.width) {
        const double here = from[piece.row(k, l)];
        even += (here + swap[l][k]) * (here + swap[l][k]);
        odd += (here - swap[l][k]) * (here - swap[l][k]);
      }
  }
  const ParityNorms sum{sum_of_block(even, partial_sums), sum_of_block(odd, partial_sums)};
  if (threadIdx.x == 0 && threadIdx.y == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/// Sums of each vector, in a fixed order.
__global__ void add_parity_norms(const ParityNorms* partial, int blocks, double* sums) {
  const ParityNorms* mine = partial + Index{blockIdx.x} * blocks;
  double even = 0;
  double odd = 0;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += 32) {
    even += mine[i].even;
    odd += mine[i].odd;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    even += __shfl_down_sync(0xffffffffU, even, distance);
    odd += __shfl_down_sync(0xffffffffU, odd, distance);
  }
  if (threadIdx.x != 0) return;
  sums[2 * blockIdx.x] = even;
  sums[2 * blockIdx.x + 1] = odd;
}

/// y = factor (y + sign P y).
__global__ void __launch_bounds__(kSwapTile* kSwapRows)
    add_swapped(const AlphaBetaSwapView swaps, double factor, double sign, double* y) {
  __shared__ SwapTile swap;
  const AlphaBetaSwapView::Piece piece = swaps.piece(blockIdx.x);
  if (piece.height == 0) return;
  load_swapped(piece, y, swap);
  const int l = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kSwapRows)
    if (l < piece.width) {
      const double sum = factor * (y[piece.row(k, l)] + sign * swap[l][k]);
      y[piece.row(k, l)] = sum;
      swap[l][k] = sign * sum;
    }
  if (piece.is_self_swapped()) return;
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  for (int m = static_cast<int>(threadIdx.y); m < piece.width; m += kSwapRows)
    if (k < piece.height) y[piece.swapped(k, m)] = swap[m][k];
}

}  // namespace

SwapOnDevice::SwapOnDevice(const AlphaBetaSwap& swap, const base::Backend& device)
    : device_(device),
      swap_(swap.to(device)),
      blocks_(std::clamp<Index>(swap_.view().pieces, 1, kSwapBlocks)),
      partial_(device, Index{kMostAtOnce} * blocks_, "the parities of vectors") {}

std::vector<ParityNorms> SwapOnDevice::norms_of(base::ConstBlock x, int part, int parts) const {
  const Index pieces = swap_.view().pieces;
  const auto columns = static_cast<unsigned>(x.columns);
  const cudaStream_t stream = device_.device().stream();
  const base::cuda::PinnedResults results(device_, 2 * Index{columns}, 0);
  parity_norms<<<dim3(static_cast<unsigned>(blocks_), columns), dim3(kSwapTile, kSwapRows), 0,
                 stream>>>(swap_.view(), pieces * part / parts, pieces * (part + 1) / parts, x,
                           partial_.data());
  check_launch("parity_norms");
  add_parity_norms<<<columns, 32, 0, stream>>>(partial_.data(), static_cast<int>(blocks_),
                                               results.numbers());
  check_launch("add_parity_norms");
  std::vector<double> sums(2 * columns);
  results.take(sums);
  std::vector<ParityNorms> all;
  for (unsigned j = 0; j < columns; ++j) all.push_back({sums[2 * j], sums[2 * j + 1]});
  return all;
}

void SwapOnDevice::add_swapped_to(double* y, Parity parity, double factor) const {
  const double sign = parity == Parity::even ? 1 : -1;
  add_swapped<<<static_cast<unsigned>(swap_.view().pieces), dim3(kSwapTile, kSwapRows), 0,
                device_.device().stream()>>>(swap_.view(), factor, sign, y);
  check_launch("add_swapped");
}

}  // namespace cisolve::ci::cuda
