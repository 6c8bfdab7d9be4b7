#include "bench/products/kernels/csr5.hpp"

#include "base/cuda/context.hpp"
#include "base/cuda/elements.cuh"
#include "bench/products/kernel.hpp"

namespace cisolve::bench {
namespace {

constexpr int kThreads = 128;

struct Product {
  Csr5View a;
  double alpha;
  const double* x;
  double beta;
  double* y;

  __device__ Index row(Index number) const {
    return a.row_numbers == nullptr ? number : a.row_numbers[number];
  }
  __device__ void write(Index number, double sum) const {
    double& result = y[row(number)];
    result = beta == 0 ? alpha * sum : alpha * sum + beta * result;
  }
};

/// Segmented sum: in each lane its value and those of the following lanes, up to and including the
/// first that stops.
__device__ double sum_to_stop(double value, bool stops) {
  const int lane = static_cast<int>(threadIdx.x) % kCsr5Lanes;
#pragma unroll
  for (int distance = 1; distance < kCsr5Lanes; distance *= 2) {
    const double after = __shfl_down_sync(0xffffffffU, value, distance);
    const bool stops_after = __shfl_down_sync(0xffffffffU, stops, distance);
    if (lane + distance < kCsr5Lanes && !stops) {
      value += after;
      stops = stops_after;
    }
  }
  return value;
}

/// One warp for each tile. A lane writes the rows that begin and end in it; the row that begins
/// last continues in later lanes, and elements before the first beginning belong to a row of
/// earlier lanes or tiles.
__global__ void __launch_bounds__(kThreads) csr5_tiles(const Product p, double* carries) {
  const Index tile = (Index{blockIdx.x} * kThreads + threadIdx.x) / kCsr5Lanes;
  const int lane = static_cast<int>(threadIdx.x) % kCsr5Lanes;
  if (tile >= p.a.tiles) return;  // a whole warp
  const std::uint32_t flags = p.a.flags[tile * kCsr5Lanes + lane];
  Index number = Index{p.a.rows_before[tile]} + p.a.skip[tile * kCsr5Lanes + lane];
  const bool begins = flags != 0;
  bool begun = false;
  double sum = 0;
  double head = 0;  // sum before the first row begins
  Index k = tile * kCsr5Lanes * p.a.sigma + lane;
#pragma unroll 4
  for (int j = 0; j < p.a.sigma; ++j, k += kCsr5Lanes) {
    if ((flags >> j & 1U) != 0) {
      if (begun)
        p.write(number - 1, sum);
      else
        head = sum;
      begun = true;
      sum = 0;
      ++number;
    }
    const Column column = p.a.column[k];
    if (column >= 0) sum += p.a.value[k] * p.x[column];
  }
  if (!begins) head = sum;
  const double heads = sum_to_stop(head, begins);
  const double following = __shfl_down_sync(0xffffffffU, heads, 1);
  if (begins) p.write(number - 1, lane + 1 < kCsr5Lanes ? sum + following : sum);
  if (lane == 0) carries[tile] = heads;
}

/// Adds to a row the carries of later tiles, in order.
__global__ void __launch_bounds__(kThreads) add_carries(const Product p, const double* carries) {
  Index tile = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (tile == 0 || tile >= p.a.tiles) return;  // the first tile begins with a row
  const Column before = p.a.rows_before[tile];
  if (tile > 1 && p.a.rows_before[tile - 1] == before) return;  // handled by another thread
  double sum = 0;
  for (; tile < p.a.tiles && p.a.rows_before[tile] == before; ++tile) sum += carries[tile];
  p.y[p.row(before - 1)] += p.alpha * sum;
}

void clear_empty_rows(const base::Backend& backend, const Csr5View& a, double beta, double* y) {
  const Column* rows = a.empty_row;
  base::cuda::launch_elements(backend, a.empty_rows, 1, [=] __device__(Index i, int) {
    y[rows[i]] = beta == 0 ? 0 : beta * y[rows[i]];
  });
}

void multiply(const base::Backend& backend, const Product& product, double* carries) {
  const Index tiles = product.a.tiles;
  const cudaStream_t stream = backend.device().stream();
  clear_empty_rows(backend, product.a, product.beta, product.y);
  if (tiles == 0) return;
  constexpr Index per_block = kThreads / kCsr5Lanes;
  csr5_tiles<<<static_cast<unsigned>((tiles + per_block - 1) / per_block), kThreads, 0, stream>>>(
      product, carries);
  base::cuda::check_launch("csr5_tiles");
  add_carries<<<static_cast<unsigned>((tiles + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      product, carries);
  base::cuda::check_launch("add_carries");
}

}  // namespace

std::vector<Kernel> csr5_kernels() {
  return {{.name = "cuda/csr5",
           .backend = base::BackendKind::cuda,
           .obstacle = one_vector_only,
           .prepare = [](const Workload& matrix, const base::Backend& backend, int) {
             Csr5 stored = build_csr5(matrix, csr5_sigma(matrix.mean_row())).to(backend);
             base::Array<double> carries(backend, stored.tiles(), "what tiles hold of rows before");
             const Index bytes = stored.bytes();
             return prepared(
                 bytes, [=, stored = std::move(stored), carries = std::move(carries)](
                            double alpha, base::ConstBlock x, double beta, base::Block y) mutable {
                   multiply(backend, {stored.view(), alpha, x.data, beta, y.data}, carries.data());
                 });
           }}};
}

}  // namespace cisolve::bench
