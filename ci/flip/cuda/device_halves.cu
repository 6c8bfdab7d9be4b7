#include <algorithm>

#include "base/cuda/context.hpp"
#include "ci/flip/cuda/device_halves.hpp"
#include "ci/flip/cuda/flip_kernels.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check_launch;

constexpr double kRootOfTwo = 1.4142135623730951;
constexpr int kExchangeThreads = 256;

/// A block of threads has a piece of the halves, and writes it and its flip as they lie, or adds
/// them to what is there.
template <bool kAdds>
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    expand_halves(const HalvesView halves, const double* half, double* whole) {
  __shared__ FlipTile flip;
  const SpinFlipView::Piece piece = halves.flips.piece(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  for (int k = first; k < piece.height; k += kFlipRows)
    if (lane < piece.width && HalvesView::has(piece, k, lane)) {
      const bool is_own = HalvesView::is_own(piece, k, lane);
      double value = 0;
      if (!is_own)
        value = half[halves.at(piece, k, lane)] / kRootOfTwo;
      else if (halves.is_even)
        value = half[halves.at(piece, k, lane)];
      const Index row = piece.row(k, lane);
      whole[row] = kAdds ? whole[row] + value : value;
      flip[lane][k] = value;
    }
  __syncthreads();
  for (int l = first; l < piece.width; l += kFlipRows)
    if (lane < piece.height && HalvesView::has(piece, lane, l) &&
        !HalvesView::is_own(piece, lane, l)) {
      const Index row = piece.flip(lane, l);
      const double value = halves.sign() * flip[l][lane];
      whole[row] = kAdds ? whole[row] + value : value;
    }
}

/// half = factor (whole + sign (whole flipped)), by half.
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    fold_halves(const HalvesView halves, double factor, const double* whole, double* half) {
  __shared__ FlipTile flip;
  const SpinFlipView::Piece piece = halves.flips.piece(blockIdx.x);
  if (piece.height == 0) return;
  take_flip(piece, whole, flip);
  const int l = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kFlipRows) {
    if (l >= piece.width || !HalvesView::has(piece, k, l)) continue;
    const double here = whole[piece.row(k, l)];
    if (!HalvesView::is_own(piece, k, l))
      half[halves.at(piece, k, l)] = kRootOfTwo * factor * (here + halves.sign() * flip[l][k]);
    else if (halves.is_even)
      half[halves.at(piece, k, l)] = 2 * factor * here;
  }
}

__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    fold_diagonal_of_halves(const HalvesView halves, const double* whole, double* half) {
  const SpinFlipView::Piece piece = halves.flips.piece(blockIdx.x);
  const int l = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kFlipRows)
    if (l < piece.width && HalvesView::has(piece, k, l) &&
        (halves.is_even || !HalvesView::is_own(piece, k, l)))
      half[halves.at(piece, k, l)] = whole[piece.row(k, l)];
}

__global__ void __launch_bounds__(kExchangeThreads)
    add_exchanges(const HalvesView halves, double* half) {
  const Index number = Index{blockIdx.x} * kExchangeThreads + threadIdx.x;
  if (number >= halves.flips.exchange_count) return;
  const SpinFlipView::Exchange exchange = halves.flips.exchanges[number];
  half[halves.at(exchange.block, exchange.i, exchange.j)] += halves.sign() * exchange.value;
}

unsigned pieces_of(const HalvesView& halves) { return static_cast<unsigned>(halves.flips.pieces); }

}  // namespace

HalvesOnDevice::HalvesOnDevice(const Halves& halves, const SpinFlipView& flip,
                               const base::Backend& device)
    : device_(device),
      flip_(flip),
      first_(base::Array<Index>::copy_of(halves.first(), device, "the numbers of halves")),
      is_even_(halves.parity() == Parity::even) {}

void HalvesOnDevice::expand(const double* half, double* whole) const {
  cudaStream_t stream = device_.device().stream();
  expand_halves<false>
      <<<pieces_of(view()), dim3(kFlipTile, kFlipRows), 0, stream>>>(view(), half, whole);
  check_launch("expand_halves");
}

void HalvesOnDevice::add(const double* half, double* whole) const {
  cudaStream_t stream = device_.device().stream();
  expand_halves<true>
      <<<pieces_of(view()), dim3(kFlipTile, kFlipRows), 0, stream>>>(view(), half, whole);
  check_launch("add_halves");
}

void HalvesOnDevice::fold(double factor, const double* whole, double* half) const {
  fold_halves<<<pieces_of(view()), dim3(kFlipTile, kFlipRows), 0, device_.device().stream()>>>(
      view(), factor, whole, half);
  check_launch("fold_halves");
}

void HalvesOnDevice::fold_diagonal(const double* whole, double* half) const {
  cudaStream_t stream = device_.device().stream();
  fold_diagonal_of_halves<<<pieces_of(view()), dim3(kFlipTile, kFlipRows), 0, stream>>>(
      view(), whole, half);
  check_launch("fold_diagonal_of_halves");
  const Index exchanges = view().flips.exchange_count;
  if (exchanges == 0) return;
  add_exchanges<<<static_cast<unsigned>((exchanges + kExchangeThreads - 1) / kExchangeThreads),
                  kExchangeThreads, 0, stream>>>(view(), half);
  check_launch("add_exchanges");
}

}  // namespace cisolve::ci::cuda
