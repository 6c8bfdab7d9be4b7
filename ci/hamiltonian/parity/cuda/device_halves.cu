#include <algorithm>

#include "base/cuda/context.hpp"
#include "ci/hamiltonian/parity/cuda/device_halves.hpp"
#include "ci/hamiltonian/parity/cuda/flip_kernels.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check_launch;

constexpr double kRootOfTwo = 1.4142135623730951;
constexpr int kExchangeThreads = 256;
constexpr int kPackThreads = 256;
constexpr int kRowsOfThread = kFlipTile / kFlipRows;
static_assert(kRowsOfThread * kFlipRows == kFlipTile);
constexpr auto kWhat = "halves and their flips";

__device__ const HalfPatch& patch_of(const PatchesView& patches, Index tile) {
  int first = 0;
  for (int last = patches.count; last - first > 1;) {
    const int middle = (first + last) / 2;
    if (patches.all[middle].first_tile <= tile)
      first = middle;
    else
      last = middle;
  }
  return patches.all[first];
}

template <bool kAdds>
__device__ void put(double value, double* place) {
  *place = kAdds ? *place + value : value;
}

/// A block of threads has a tile of the halves, and writes it and its flip as they lie, or adds
/// them to what is there. Threads ask for all their numbers before they wait for any.
template <bool kAdds>
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    expand_halves(const HalvesView halves, const PatchesView patches, const double* half,
                  double* whole) {
  __shared__ FlipTile flip;
  const HalfPatch patch = patch_of(patches, blockIdx.x);
  const SpinFlipView::Piece piece = patch.tile(halves.flips, halves.flips.rows, blockIdx.x);
  const double* from = half + patch.shift;
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  const auto is_here = [&](int k) {
    return k < piece.height && lane < piece.width && HalvesView::has(piece, k, lane);
  };
  double values[kRowsOfThread] = {};
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kFlipRows;
    if (!is_here(k)) continue;
    if (!HalvesView::is_own(piece, k, lane))
      values[n] = from[halves.at(piece, k, lane)] / kRootOfTwo;
    else if (halves.is_even)
      values[n] = from[halves.at(piece, k, lane)];
  }
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kFlipRows;
    flip[lane][k] = values[n];
    if (is_here(k)) put<kAdds>(values[n], whole + piece.row(k, lane));
  }
  __syncthreads();
  for (int l = first; l < piece.width; l += kFlipRows)
    if (lane < piece.height && HalvesView::has(piece, lane, l) &&
        !HalvesView::is_own(piece, lane, l))
      put<kAdds>(halves.sign() * flip[l][lane], whole + piece.flip(lane, l));
}

/// half = factor (image + sign (image flipped)), by half.
__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    fold_halves(const HalvesView halves, const PatchesView patches, const Index* places,
                double factor, const double* image, const double* received, double* half) {
  __shared__ FlipTile flip;
  const HalfPatch patch = patch_of(patches, blockIdx.x);
  const SpinFlipView::Piece piece = patch.tile(halves.flips, places, blockIdx.x);
  if (piece.height == 0) return;
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  const auto is_here = [&](int k) {
    return k < piece.height && lane < piece.width && HalvesView::has(piece, k, lane);
  };
  double here[kRowsOfThread] = {};
  double there[kRowsOfThread] = {};
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int l = first + n * kFlipRows;
    if (l < piece.width && lane < piece.height)
      there[n] = patch.is_here ? image[piece.flip(lane, l)] : received[patch.sent(piece, lane, l)];
    if (is_here(l)) here[n] = image[piece.row(l, lane)];
  }
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) flip[first + n * kFlipRows][lane] = there[n];
  __syncthreads();
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kFlipRows;
    if (!is_here(k)) continue;
    double* to = half + patch.shift + halves.at(piece, k, lane);
    if (!HalvesView::is_own(piece, k, lane))
      *to = kRootOfTwo * factor * (here[n] + halves.sign() * flip[lane][k]);
    else if (halves.is_even)
      *to = 2 * factor * here[n];
  }
}

__global__ void __launch_bounds__(kFlipTile* kFlipRows)
    fold_diagonal_of_halves(const HalvesView halves, const PatchesView patches, const Index* places,
                            const double* image, double* half) {
  const HalfPatch patch = patch_of(patches, blockIdx.x);
  const SpinFlipView::Piece piece = patch.tile(halves.flips, places, blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kFlipRows)
    if (lane < piece.width && HalvesView::has(piece, k, lane) &&
        (halves.is_even || !HalvesView::is_own(piece, k, lane)))
      half[patch.shift + halves.at(piece, k, lane)] = image[piece.row(k, lane)];
}

__global__ void __launch_bounds__(kExchangeThreads)
    add_exchanges(const HalfShares::Exchange* exchanges, Index count, double sign, double* half) {
  const Index number = Index{blockIdx.x} * kExchangeThreads + threadIdx.x;
  if (number < count) half[exchanges[number].half] += sign * exchanges[number].value;
}

__global__ void __launch_bounds__(kPackThreads)
    pack_rows(const FlipShares::Sent* sent, const double* image, double* room) {
  const FlipShares::Sent row = sent[blockIdx.x];
  const double* __restrict__ from = image + row.from;
  double* __restrict__ to = room + row.to;
#pragma unroll 4
  for (Index k = threadIdx.x; k < row.count; k += kPackThreads) to[k] = from[k];
}

unsigned blocks_of(Index count) { return static_cast<unsigned>(count); }

std::vector<RoundOnDevice> on_device(std::span<const HalfShares::Round> rounds,
                                     const base::Backend& device) {
  std::vector<RoundOnDevice> all;
  for (const HalfShares::Round& round : rounds) all.emplace_back(round, device);
  return all;
}

}  // namespace

PatchesOnDevice::PatchesOnDevice(const HalfPatches& patches, const base::Backend& device)
    : all_(base::Array<HalfPatch>::copy_of(patches.all, device, kWhat)), tiles_(patches.tiles) {}

HalvesOnDevice::HalvesOnDevice(const Halves& halves, const SpinFlipView& flip,
                               const FlipShares& shares, const base::VectorExchange* vectors,
                               const base::Backend& device)
    : HalvesMaker(halves, shares, vectors),
      device_(device),
      flip_(flip),
      is_even_(halves.parity() == Parity::even),
      first_(base::Array<Index>::copy_of(halves.first(), device, kWhat)),
      places_(base::Array<Index>::copy_of(shares.places(), device, kWhat)),
      rounds_(on_device(this->shares().rounds(StagedIn::room), device)),
      rounds_in_image_(on_device(this->shares().rounds(StagedIn::image), device)),
      folds_(this->shares().folds(), device),
      exchanges_(
          base::Array<HalfShares::Exchange>::copy_of(this->shares().exchanges(), device, kWhat)) {
  if (layout().ranks() > 1) meanwhile_.emplace(device_.device());
}

// Both parts write different rows, so that the own one may be put while others tell theirs.
void HalvesOnDevice::put_round(RoundOf round, bool adds, const double* from, double* whole) const {
  const auto& rounds = round.in == StagedIn::image ? rounds_in_image_ : rounds_;
  const RoundOnDevice& all = rounds[round.number];
  const bool is_own = round.whose == Whose::own;
  const PatchesView patches = (is_own ? all.own : all.of_others).view();
  cudaStream_t stream = device_.device().stream();
  if (meanwhile_ && is_own) {
    meanwhile_->follow();
    stream = meanwhile_->get();
  } else if (meanwhile_) {
    meanwhile_->lead();
  }
  if (patches.tiles == 0) return;
  const auto kernel = adds ? expand_halves<true> : expand_halves<false>;
  kernel<<<blocks_of(patches.tiles), dim3(kFlipTile, kFlipRows), 0, stream>>>(view(), patches, from,
                                                                              whole);
  check_launch("expand_halves");
}

void HalvesOnDevice::fold(double factor, const double* image, const double* received,
                          double* half) const {
  if (folds_.view().tiles == 0) return;
  fold_halves<<<blocks_of(folds_.view().tiles), dim3(kFlipTile, kFlipRows), 0,
                device_.device().stream()>>>(view(), folds_.view(), places_.data(), factor, image,
                                             received, half);
  check_launch("fold_halves");
}

void HalvesOnDevice::fold_diagonal(const double* image, double* half) const {
  if (folds_.view().tiles == 0) return;
  cudaStream_t stream = device_.device().stream();
  fold_diagonal_of_halves<<<blocks_of(folds_.view().tiles), dim3(kFlipTile, kFlipRows), 0,
                            stream>>>(view(), folds_.view(), places_.data(), image, half);
  check_launch("fold_diagonal_of_halves");
  const Index exchanges = exchanges_.size();
  if (exchanges == 0) return;
  add_exchanges<<<blocks_of((exchanges + kExchangeThreads - 1) / kExchangeThreads),
                  kExchangeThreads, 0, stream>>>(exchanges_.data(), exchanges, view().sign(), half);
  check_launch("add_exchanges");
}

FlipsToDevices::FlipsToDevices(const FlipShares& shares, const base::VectorExchange& vectors)
    : shares_(shares),
      vectors_(vectors),
      sent_(base::Array<FlipShares::Sent>::copy_of(shares.sent(), vectors.backend(), kWhat)) {}

void FlipsToDevices::tell(const FlipShares::Turn& turn, const double* image, double* room) const {
  if (const Index rows = turn.end - turn.first; rows > 0) {
    pack_rows<<<blocks_of(rows), kPackThreads, 0, vectors_.backend().device().stream()>>>(
        sent_.data() + turn.first, image, room);
    check_launch("pack_rows");
  }
  shares_.tell(vectors_, turn, room);
}

const double* FlipsToDevices::bring(const double* image, double* room) const {
  for (const FlipShares::Turn& turn : shares_.turns()) tell(turn, image, room);
  return room + shares_.sent_numbers();
}

}  // namespace cisolve::ci::cuda
