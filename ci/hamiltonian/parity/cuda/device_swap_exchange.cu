#include "base/cuda/context.hpp"
#include "ci/hamiltonian/parity/cuda/device_swap_exchange.hpp"

namespace cisolve::ci::cuda {
namespace {

using base::cuda::check_launch;

constexpr int kPackThreads = 256;
constexpr int kTile = 32;
constexpr int kTileRows = 8;            // rows that a thread block handles at once
constexpr unsigned kNormBlocks = 1024;  // fixed, so that the order of sums is
constexpr auto kMemoryLabel = "rows that ranks exchange";

/// Packs, for each alpha string of this rank, the elements whose beta string is an alpha string of
/// the receiver. `places`: first rows of this rank's strings.
__global__ void __launch_bounds__(kPackThreads)
    pack(const double* x, const Index* places, const Index* columns, Index count, double* to) {
  const Index string = blockIdx.x;
  const double* from = x + places[string];
  for (Index k = threadIdx.x; k < count; k += kPackThreads)
    to[string * count + k] = from[columns[k]];
}

/// Elements received from a rank: for each of its alpha strings, those whose beta string is an
/// alpha string of this rank.
struct ReceivedElements {
  const double* numbers;
  const Index* columns;  // the sender's strings, as beta strings of this rank's
  const Index* places;   // first rows of this rank's strings
  Index count;           // number of the sender's strings
  Index strings;         // number of this rank's strings

  __device__ Index across() const { return (count + kTile - 1) / kTile; }
  __device__ Index tiles() const { return across() * ((strings + kTile - 1) / kTile); }
};

/// Calls take(row, element) for each element of a tile, transposed: `row` is the row of P x, on
/// this rank, that it is.
template <class Take>
__device__ void visit_tile(const ReceivedElements& r, Index number, Take take) {
  __shared__ double tile[kTile][kTile + 1];
  const Index column = number % r.across() * kTile;
  const Index string = number / r.across() * kTile;
  const Index x = threadIdx.x;
  __syncthreads();
  for (Index k = threadIdx.y; k < kTile && column + k < r.count; k += kTileRows)
    if (string + x < r.strings) tile[k][x] = r.numbers[(column + k) * r.strings + string + x];
  __syncthreads();
  for (Index i = threadIdx.y; i < kTile && string + i < r.strings; i += kTileRows)
    if (column + x < r.count) take(r.places[string + i] + r.columns[column + x], tile[x][i]);
}

__global__ void __launch_bounds__(kTile* kTileRows)
    add_received(const ReceivedElements r, double factor, double sign, double* y) {
  visit_tile(r, blockIdx.x,
             [=](Index row, double there) { y[row] = factor * (y[row] + sign * there); });
}

/// Adds to the partial sums of each thread block.
__global__ void __launch_bounds__(kTile* kTileRows)
    norms_of_received(const ReceivedElements r, const double* x, ParityNorms* partial) {
  double even = 0;
  double odd = 0;
  for (Index number = blockIdx.x; number < r.tiles(); number += gridDim.x)
    visit_tile(r, number, [&](Index row, double there) {
      const double here = x[row];
      even += (here + there) * (here + there);
      odd += (here - there) * (here - there);
    });
  for (int distance = kTile / 2; distance > 0; distance /= 2) {
    even += __shfl_down_sync(0xffffffffU, even, distance);
    odd += __shfl_down_sync(0xffffffffU, odd, distance);
  }
  __shared__ ParityNorms sums[kTileRows];
  if (threadIdx.x == 0) sums[threadIdx.y] = {even, odd};
  __syncthreads();
  if (threadIdx.x > 0 || threadIdx.y > 0) return;
  for (const ParityNorms& sum : sums) {
    partial[blockIdx.x].even += sum.even;
    partial[blockIdx.x].odd += sum.odd;
  }
}

base::Array<Index> copied(const std::vector<Index>& values, const base::Backend& device) {
  return base::Array<Index>::copy_of(values, device, kMemoryLabel);
}

}  // namespace

DeviceSwapExchange::DeviceSwapExchange(const base::VectorExchange& vectors, SwapRoutes routes)
    : vectors_(vectors),
      routes_(std::move(routes)),
      partial_(vectors.backend(), kNormBlocks, "the parities of vectors") {
  for (const SwapRoutes::Strings& strings : routes_.strings()) {
    std::vector<Index> columns;
    std::vector<Index> begin_of = {0};
    for (const std::vector<Index>& of_rank : strings.of_rank) {
      columns.insert(columns.end(), of_rank.begin(), of_rank.end());
      begin_of.push_back(std::ssize(columns));
    }
    strings_.push_back({copied(columns, vectors.backend()), std::move(begin_of),
                        copied(strings.places, vectors.backend())});
  }
}

void DeviceSwapExchange::fetch(const double* x, double* buffer) const {
  const cudaStream_t stream = vectors_.backend().device().stream();
  for (const SwapRoutes::Route& route : routes_.routes()) {
    const Strings& from = strings_[route.from];
    const Strings& to = strings_[route.to];
    for (int r = 0; r < routes_.ranks(); ++r) {
      const Index count = to.begin_of[r + 1] - to.begin_of[r];
      if (count == 0 || from.places.size() == 0) continue;
      pack<<<static_cast<unsigned>(from.places.size()), kPackThreads, 0, stream>>>(
          x, from.places.data(), to.columns.data() + to.begin_of[r], count,
          buffer + route.sent_at[r]);
      check_launch("pack");
    }
  }
  const auto rows = static_cast<std::size_t>(routes_.rows());
  vectors_.exchange({buffer, rows}, routes_.sent_counts(), {buffer + rows, rows},
                    routes_.received_counts());
}

template <class Visit>
void DeviceSwapExchange::for_each_route(Visit visit) const {
  for (const SwapRoutes::Route& route : routes_.routes()) {
    const Strings& from = strings_[route.from];
    const Strings& to = strings_[route.to];
    for (int r = 0; r < routes_.ranks(); ++r) {
      const ReceivedElements received{nullptr, from.columns.data() + from.begin_of[r],
                                      to.places.data(), from.begin_of[r + 1] - from.begin_of[r],
                                      to.places.size()};
      if (received.count > 0 && received.strings > 0) visit(received, route.received_at[r]);
    }
  }
}

ParityNorms DeviceSwapExchange::norms_of(const double* x, const double* buffer) const {
  const base::Backend& device = vectors_.backend();
  const cudaStream_t stream = device.device().stream();
  base::cuda::check(
      cudaMemsetAsync(partial_.data(), 0, static_cast<std::size_t>(partial_.bytes()), stream),
      "cudaMemsetAsync");
  for_each_route([&](ReceivedElements received, Index at) {
    received.numbers = buffer + routes_.rows() + at;
    norms_of_received<<<kNormBlocks, dim3(kTile, kTileRows), 0, stream>>>(received, x,
                                                                          partial_.data());
    check_launch("norms_of_received");
  });
  const base::Array<ParityNorms> parts = partial_.to(device.host());
  double sums[2] = {};
  for (const ParityNorms& part : parts.span()) {
    sums[0] += part.even;
    sums[1] += part.odd;
  }
  vectors_.ranks().sum(sums);
  return {sums[0], sums[1]};
}

void DeviceSwapExchange::add_swapped(Parity parity, double factor, double* y,
                                     const double* buffer) const {
  const cudaStream_t stream = vectors_.backend().device().stream();
  const double sign = parity == Parity::even ? 1 : -1;
  for_each_route([&](ReceivedElements received, Index at) {
    received.numbers = buffer + routes_.rows() + at;
    const auto tiles = [](Index of) { return (of + kTile - 1) / kTile; };
    const Index blocks = tiles(received.count) * tiles(received.strings);
    add_received<<<static_cast<unsigned>(blocks), dim3(kTile, kTileRows), 0, stream>>>(
        received, factor, sign, y);
    check_launch("add_received");
  });
}

Index DeviceSwapExchange::bytes() const {
  Index bytes = partial_.bytes();
  for (const Strings& strings : strings_) bytes += strings.columns.bytes() + strings.places.bytes();
  return bytes;
}

}  // namespace cisolve::ci::cuda
