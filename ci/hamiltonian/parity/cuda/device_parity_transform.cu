#include <algorithm>

#include "base/cuda/context.hpp"
#include "ci/hamiltonian/parity/cuda/device_parity_transform.hpp"
#include "ci/hamiltonian/parity/cuda/swap_kernels.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check_launch;

constexpr double kRootOfTwo = 1.4142135623730951;
constexpr int kElementThreads = 256;
constexpr int kPackThreads = 256;
constexpr int kRowsOfThread = kSwapTile / kSwapRows;
static_assert(kRowsOfThread * kSwapRows == kSwapTile);
constexpr auto kMemoryLabel = "coefficients of a parity";

__device__ const ParityPatch& patch_of(const PatchesView& patches, Index tile) {
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

/// A thread block expands a tile of coefficients: writes rows and swapped rows, or adds to them.
/// Threads issue all loads before they wait for any.
template <bool kAdds>
__global__ void __launch_bounds__(kSwapTile* kSwapRows)
    expand_parity(const ParityBasisView parity_basis, const PatchesView patches, const double* half,
                  double* whole) {
  __shared__ SwapTile swap;
  const ParityPatch patch = patch_of(patches, blockIdx.x);
  const AlphaBetaSwapView::Piece piece =
      patch.tile(parity_basis.swaps, parity_basis.swaps.rows, blockIdx.x);
  const double* from = half + patch.shift;
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  const auto is_here = [&](int k) {
    return k < piece.height && lane < piece.width && ParityBasisView::has(piece, k, lane);
  };
  double values[kRowsOfThread] = {};
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kSwapRows;
    if (!is_here(k)) continue;
    if (!ParityBasisView::is_self_swapped(piece, k, lane))
      values[n] = from[parity_basis.at(piece, k, lane)] / kRootOfTwo;
    else if (parity_basis.is_even)
      values[n] = from[parity_basis.at(piece, k, lane)];
  }
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kSwapRows;
    swap[lane][k] = values[n];
    if (is_here(k)) put<kAdds>(values[n], whole + piece.row(k, lane));
  }
  __syncthreads();
  for (int l = first; l < piece.width; l += kSwapRows)
    if (lane < piece.height && ParityBasisView::has(piece, lane, l) &&
        !ParityBasisView::is_self_swapped(piece, lane, l))
      put<kAdds>(parity_basis.sign() * swap[l][lane], whole + piece.swapped(lane, l));
}

/// Coefficients of factor (image + sign P image).
__global__ void __launch_bounds__(kSwapTile* kSwapRows)
    contract_parity(const ParityBasisView parity_basis, const PatchesView patches,
                    const Index* places, double factor, const double* image, const double* received,
                    double* half) {
  __shared__ SwapTile swap;
  const ParityPatch patch = patch_of(patches, blockIdx.x);
  const AlphaBetaSwapView::Piece piece = patch.tile(parity_basis.swaps, places, blockIdx.x);
  if (piece.height == 0) return;
  const int lane = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  const auto is_here = [&](int k) {
    return k < piece.height && lane < piece.width && ParityBasisView::has(piece, k, lane);
  };
  double here[kRowsOfThread] = {};
  double there[kRowsOfThread] = {};
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int l = first + n * kSwapRows;
    if (l < piece.width && lane < piece.height)
      there[n] = patch.is_here ? image[piece.swapped(lane, l)]
                               : received[patch.received_at(piece, lane, l)];
    if (is_here(l)) here[n] = image[piece.row(l, lane)];
  }
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) swap[first + n * kSwapRows][lane] = there[n];
  __syncthreads();
#pragma unroll
  for (int n = 0; n < kRowsOfThread; ++n) {
    const int k = first + n * kSwapRows;
    if (!is_here(k)) continue;
    double* to = half + patch.shift + parity_basis.at(piece, k, lane);
    if (!ParityBasisView::is_self_swapped(piece, k, lane))
      *to = kRootOfTwo * factor * (here[n] + parity_basis.sign() * swap[lane][k]);
    else if (parity_basis.is_even)
      *to = 2 * factor * here[n];
  }
}

__global__ void __launch_bounds__(kSwapTile* kSwapRows)
    contract_parity_diagonal(const ParityBasisView parity_basis, const PatchesView patches,
                             const Index* places, const double* image, double* half) {
  const ParityPatch patch = patch_of(patches, blockIdx.x);
  const AlphaBetaSwapView::Piece piece = patch.tile(parity_basis.swaps, places, blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < piece.height; k += kSwapRows)
    if (lane < piece.width && ParityBasisView::has(piece, k, lane) &&
        (parity_basis.is_even || !ParityBasisView::is_self_swapped(piece, k, lane)))
      half[patch.shift + parity_basis.at(piece, k, lane)] = image[piece.row(k, lane)];
}

__global__ void __launch_bounds__(kElementThreads)
    add_swap_elements(const DistributedParityBasis::SwapElement* elements, Index count, double sign,
                      double* half) {
  const Index number = Index{blockIdx.x} * kElementThreads + threadIdx.x;
  if (number < count) half[elements[number].half] += sign * elements[number].value;
}

__global__ void __launch_bounds__(kPackThreads)
    pack_rows(const SwapPartition::SentElements* sent, const double* image, double* workspace) {
  const SwapPartition::SentElements row = sent[blockIdx.x];
  const double* __restrict__ from = image + row.from;
  double* __restrict__ to = workspace + row.to;
#pragma unroll 4
  for (Index k = threadIdx.x; k < row.count; k += kPackThreads) to[k] = from[k];
}

unsigned blocks_of(Index count) { return static_cast<unsigned>(count); }

std::vector<RoundOnDevice> on_device(std::span<const DistributedParityBasis::Round> rounds,
                                     const base::Backend& device) {
  std::vector<RoundOnDevice> all;
  for (const DistributedParityBasis::Round& round : rounds) all.emplace_back(round, device);
  return all;
}

}  // namespace

PatchesOnDevice::PatchesOnDevice(const ParityPatches& patches, const base::Backend& device)
    : all_(base::Array<ParityPatch>::copy_of(patches.all, device, kMemoryLabel)),
      tiles_(patches.tiles) {}

ParityTransformOnDevice::ParityTransformOnDevice(const ParityBasis& parity_basis,
                                                 const AlphaBetaSwapView& swap,
                                                 const SwapPartition& partition,
                                                 const base::VectorExchange* vectors,
                                                 const base::Backend& device)
    : ParityTransform(parity_basis, partition, vectors),
      device_(device),
      swap_(swap),
      is_even_(parity_basis.parity() == Parity::even),
      first_(base::Array<Index>::copy_of(parity_basis.first(), device, kMemoryLabel)),
      places_(base::Array<Index>::copy_of(partition.places(), device, kMemoryLabel)),
      rounds_(on_device(distributed_basis().rounds(StagedIn::buffer), device)),
      rounds_in_image_(on_device(distributed_basis().rounds(StagedIn::image), device)),
      contractions_(distributed_basis().contractions(), device),
      swap_elements_(base::Array<DistributedParityBasis::SwapElement>::copy_of(
          distributed_basis().swap_elements(), device, kMemoryLabel)) {
  if (layout().ranks() > 1) meanwhile_.emplace(device_.device());
}

// Own and received parts write different rows, so the own part overlaps with the communication.
void ParityTransformOnDevice::expand_round(RoundOf round, bool adds, const double* from,
                                           double* whole) const {
  const auto& rounds = round.in == StagedIn::image ? rounds_in_image_ : rounds_;
  const RoundOnDevice& all = rounds[round.number];
  const bool is_own = round.whose == Whose::own;
  const PatchesView patches = (is_own ? all.own : all.of_others).view();
  cudaStream_t stream = device_.device().stream();
  if (meanwhile_ && is_own) {
    meanwhile_->wait_for_stream();
    stream = meanwhile_->get();
  } else if (meanwhile_) {
    meanwhile_->make_stream_wait();
  }
  if (patches.tiles == 0) return;
  const auto kernel = adds ? expand_parity<true> : expand_parity<false>;
  kernel<<<blocks_of(patches.tiles), dim3(kSwapTile, kSwapRows), 0, stream>>>(view(), patches, from,
                                                                              whole);
  check_launch("expand_parity");
}

void ParityTransformOnDevice::contract(double factor, const double* image, const double* received,
                                       double* half) const {
  if (contractions_.view().tiles == 0) return;
  contract_parity<<<blocks_of(contractions_.view().tiles), dim3(kSwapTile, kSwapRows), 0,
                    device_.device().stream()>>>(view(), contractions_.view(), places_.data(),
                                                 factor, image, received, half);
  check_launch("contract_parity");
}

void ParityTransformOnDevice::contract_diagonal(const double* image, double* half) const {
  if (contractions_.view().tiles == 0) return;
  cudaStream_t stream = device_.device().stream();
  contract_parity_diagonal<<<blocks_of(contractions_.view().tiles), dim3(kSwapTile, kSwapRows), 0,
                             stream>>>(view(), contractions_.view(), places_.data(), image, half);
  check_launch("contract_parity_diagonal");
  const Index count = swap_elements_.size();
  if (count == 0) return;
  add_swap_elements<<<blocks_of((count + kElementThreads - 1) / kElementThreads), kElementThreads,
                      0, stream>>>(swap_elements_.data(), count, view().sign(), half);
  check_launch("add_swap_elements");
}

ImageExchangeOnDevice::ImageExchangeOnDevice(const SwapPartition& partition,
                                             const base::VectorExchange& vectors)
    : partition_(partition),
      vectors_(vectors),
      sent_(base::Array<SwapPartition::SentElements>::copy_of(partition.sent(), vectors.backend(),
                                                              kMemoryLabel)) {}

void ImageExchangeOnDevice::send_phase(const SwapPartition::Phase& phase, const double* image,
                                       double* workspace) const {
  if (const Index rows = phase.end - phase.first; rows > 0) {
    pack_rows<<<blocks_of(rows), kPackThreads, 0, vectors_.backend().device().stream()>>>(
        sent_.data() + phase.first, image, workspace);
    check_launch("pack_rows");
  }
  partition_.send_phase(vectors_, phase, workspace);
}

const double* ImageExchangeOnDevice::fetch_all(const double* image, double* workspace) const {
  for (const SwapPartition::Phase& phase : partition_.phases()) send_phase(phase, image, workspace);
  return workspace + partition_.sent_numbers();
}

}  // namespace cisolve::ci::cuda
