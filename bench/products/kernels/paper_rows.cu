#include "base/cuda/context.hpp"
#include "base/cuda/elements.cuh"
#include "bench/products/kernel.hpp"
#include "sparse/formats/hybrid.hpp"

// The product of the 2018 paper on its hybrid format: Algorithm 7, and the variant of its section
// 4.2. Errors in the printed Algorithm 7, corrected here:
//
// - With 16 threads per block, a warp's 32 threads (thread / 32) span two blocks with different
//   shared memories, so half of a row's sum is lost. Here a row has at most a block's threads.
// - ShMem1 and ShMem2 have 32 places and are indexed by threadIdx.x: too short for 64 threads or
//   more. Here they have as many as the block.
// - A thread adds the neighbour at + 16 without waiting for it: a race if the lanes of a warp do
//   not run in lockstep. Here __syncwarp().
// - The result is written inside "if AllNonZerosCount > BOUNDARY": shorter rows are lost.
// - The ELLPACK loop runs to BOUNDARY in every row and reads x at the columns of padding. Here it
//   ends with the row.
// - Result is added to, and nothing sets it to zero. Here y = alpha A x + beta y.
namespace cisolve::bench {
namespace {

__device__ double finish(double alpha, double sum, double beta, const double* y) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}

/// Adds up the values of `Lanes` neighbouring threads in shared memory; the first gets the sum.
template <int Lanes>
__device__ void reduce(double* mine, int lane, unsigned mask) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) {
    __syncwarp(mask);
    if (lane < distance) *mine += mine[distance];
  }
}

template <int Threads>
__global__ void __launch_bounds__(Threads)
    algorithm_7(sparse::HybridView a, double alpha, const double* x, double beta, double* y) {
  constexpr int kLanes = Threads < 32 ? Threads : 32;
  constexpr unsigned kMask = kLanes == 32 ? 0xffffffffU : (1U << kLanes) - 1;
  __shared__ double of_ellpack[Threads];
  __shared__ double of_csr[Threads];
  const Index row = (Index{blockIdx.x} * Threads + threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (row >= a.rows) return;  // holds for all lanes of a row or for none
  double* const ellpack = of_ellpack + threadIdx.x;
  double* const csr = of_csr + threadIdx.x;

  *ellpack = 0;
  const Index first = row * a.width;
  const Index end = first + a.lengths[row];
  for (Index k = first + lane; k < end; k += kLanes)
    *ellpack += a.ell_value[k] * x[a.ell_column[k]];
  reduce<kLanes>(ellpack, lane, kMask);

  *csr = 0;
  const Index tail_end = a.tail_offsets[row + 1];
  for (Index k = a.tail_offsets[row] + lane; k < tail_end; k += kLanes)
    *csr += a.tail_value[k] * x[a.tail_column[k]];
  reduce<kLanes>(csr, lane, kMask);

  if (lane == 0) y[row] = finish(alpha, *ellpack + *csr, beta, y + row);
}

// Section 4.2: one warp for each region of a row, combined by atomicAdd. Two summands commute if y
// was zero, so these sums are bitwise reproducible unless beta is used.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    two_warps(sparse::HybridView a, double alpha, const double* x, double* y) {
  const Index warp = (Index{blockIdx.x} * Threads + threadIdx.x) / 32;
  const Index row = warp / 2;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= a.rows) return;
  double sum = 0;
  if (warp % 2 == 0) {
    const Index end = row * a.width + a.lengths[row];
    for (Index k = row * a.width + lane; k < end; k += 32)
      sum += a.ell_value[k] * x[a.ell_column[k]];
  } else {
    const Index end = a.tail_offsets[row + 1];
    for (Index k = a.tail_offsets[row] + lane; k < end; k += 32)
      sum += a.tail_value[k] * x[a.tail_column[k]];
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffU, sum, distance);
  if (lane == 0) atomicAdd(y + row, alpha * sum);
}

using Multiply = void (*)(const base::Backend&, const sparse::HybridView&, double, const double*,
                          double, double*);

template <int Threads>
void multiply_algorithm_7(const base::Backend& backend, const sparse::HybridView& a, double alpha,
                          const double* x, double beta, double* y) {
  constexpr Index kRows = Threads < 32 ? 1 : Threads / 32;
  algorithm_7<Threads><<<static_cast<unsigned>((a.rows + kRows - 1) / kRows), Threads, 0,
                         backend.device().stream()>>>(a, alpha, x, beta, y);
  base::cuda::check_launch("algorithm_7");
}

void scale(const base::Backend& backend, double beta, double* y, Index rows) {
  base::cuda::launch_elements(backend, rows, 1,
                              [=] __device__(Index i, int) { y[i] = beta == 0 ? 0 : beta * y[i]; });
}

template <int Threads>
void multiply_two_warps(const base::Backend& backend, const sparse::HybridView& a, double alpha,
                        const double* x, double beta, double* y) {
  constexpr Index kRows = Threads / 64;
  scale(backend, beta, y, a.rows);
  two_warps<Threads><<<static_cast<unsigned>((a.rows + kRows - 1) / kRows), Threads, 0,
                       backend.device().stream()>>>(a, alpha, x, y);
  base::cuda::check_launch("two_warps");
}

Kernel hybrid_kernel(std::string name, Multiply multiply) {
  return {.name = std::move(name),
          .backend = base::BackendKind::cuda,
          .obstacle = one_vector_only,
          .prepare = [=](const Workload& matrix, const base::Backend& backend, int) {
            const sparse::CsrRows rows = matrix.source();
            sparse::Hybrid hybrid = sparse::build_hybrid(rows, {}, backend.host()).to(backend);
            const Index bytes = hybrid.memory().held;
            return prepared(bytes, [=, hybrid = std::move(hybrid)](double alpha, base::ConstBlock x,
                                                                   double beta, base::Block y) {
              if (y.rows > 0) multiply(backend, hybrid.view(), alpha, x.data, beta, y.data);
            });
          }};
}

}  // namespace

std::vector<Kernel> paper_kernels() {
  return {hybrid_kernel("cuda/algorithm-7-16", multiply_algorithm_7<16>),
          hybrid_kernel("cuda/algorithm-7-32", multiply_algorithm_7<32>),
          hybrid_kernel("cuda/algorithm-7-64", multiply_algorithm_7<64>),
          hybrid_kernel("cuda/algorithm-7-128", multiply_algorithm_7<128>),
          hybrid_kernel("cuda/algorithm-7-256", multiply_algorithm_7<256>),
          hybrid_kernel("cuda/two-warps-64", multiply_two_warps<64>),
          hybrid_kernel("cuda/two-warps-128", multiply_two_warps<128>),
          hybrid_kernel("cuda/two-warps-256", multiply_two_warps<256>)};
}

}  // namespace cisolve::bench
