#pragma once

#include "base/block.hpp"
#include "base/cuda/check.hpp"

// Products of tall blocks with few columns, which are memory-bound: a thread keeps all results of a
// row in registers, so that each vector is read once. cuBLAS matches this only for wide bases.
namespace cisolve::base::cuda {

constexpr int kTallThreads = 256;
constexpr int kTallBlocks = 1056;  // at most, eight for each multiprocessor of a large device; by
                                   // the shape alone, as the order of every sum is
constexpr int kTallUnrolled = 8;   // loads of a thread in flight

/// Number of thread blocks for `rows` rows.
inline Index tall_blocks(Index rows) {
  const Index wanted = (rows + kTallThreads - 1) / kTallThreads;
  return wanted < kTallBlocks ? wanted : kTallBlocks;
}

/// Y = alpha X C + beta Y for up to `Width` columns of Y; C is a.columns x y.columns.
template <int Width, class X, class Numbers>
__global__ void __launch_bounds__(kTallThreads)
    tall_update(double alpha, BasicBlock<const X> x, const __grid_constant__ Numbers c, double beta,
                Block y) {
  extern __shared__ double coefficients[];  // [column of x][column of y]
  for (int k = static_cast<int>(threadIdx.x); k < x.columns * Width; k += kTallThreads) {
    const int a = k / Width;
    const int b = k % Width;
    coefficients[k] = b < y.columns ? alpha * c[b * x.columns + a] : 0;
  }
  __syncthreads();
  const Index step = Index{kTallThreads} * gridDim.x;
  for (Index row = Index{blockIdx.x} * kTallThreads + threadIdx.x; row < y.rows; row += step) {
    double sums[Width] = {};
#pragma unroll kTallUnrolled
    for (int a = 0; a < x.columns; ++a) {
      const double value = x.data[a * x.stride + row];
#pragma unroll
      for (int b = 0; b < Width; ++b) sums[b] += value * coefficients[a * Width + b];
    }
#pragma unroll
    for (int b = 0; b < Width; ++b)
      if (b < y.columns) y(row, b) = beta == 0 ? sums[b] : sums[b] + beta * y(row, b);
  }
}

/// C is in device memory or a kernel argument.
template <int Width, class X, class Numbers>
void launch_tall_update(double alpha, BasicBlock<const X> x, const Numbers& c, double beta, Block y,
                        cudaStream_t stream) {
  // The compiler reads coefficients in wide words of whole unrolled steps.
  const int padded = (x.columns + kTallUnrolled - 1) / kTallUnrolled * kTallUnrolled;
  const auto shared = static_cast<std::size_t>(padded) * Width * sizeof(double);
  const auto blocks = static_cast<unsigned>(tall_blocks(y.rows));
  tall_update<Width><<<blocks, kTallThreads, shared, stream>>>(alpha, x, c, beta, y);
  check_launch("tall_update");
}

/// Partial sums of X^T Y of one thread block, for up to Rows x Width inner products of each group
/// of columns of X.
template <int Rows, int Width, class X>
__global__ void __launch_bounds__(kTallThreads)
    tall_gram(BasicBlock<const X> all, ConstBlock y, double* partial) {
  const int first = static_cast<int>(blockIdx.y) * Rows;
  const BasicBlock<const X> x = all.slice(first, min(Rows, all.columns - first));
  double sums[Rows][Width] = {};
  const Index step = Index{kTallThreads} * gridDim.x;
  for (Index row = Index{blockIdx.x} * kTallThreads + threadIdx.x; row < x.rows; row += step) {
    double right[Width];
#pragma unroll
    for (int b = 0; b < Width; ++b) right[b] = b < y.columns ? y(row, b) : 0;
#pragma unroll
    for (int a = 0; a < Rows; ++a) {
      const double left = a < x.columns ? x(row, a) : 0;
#pragma unroll
      for (int b = 0; b < Width; ++b) sums[a][b] += left * right[b];
    }
  }
  __shared__ double of_warp[kTallThreads / 32][Rows * Width];
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int a = 0; a < Rows; ++a)
#pragma unroll
    for (int b = 0; b < Width; ++b) {
      double sum = sums[a][b];
      for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffU, sum, distance);
      if (lane == 0) of_warp[threadIdx.x / 32][a * Width + b] = sum;
    }
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < Rows * Width; k += kTallThreads) {
    double sum = 0;
    for (int warp = 0; warp < kTallThreads / 32; ++warp) sum += of_warp[warp][k];
    partial[Index{first * Width + k} * gridDim.x + blockIdx.x] = sum;
  }
}

/// g(a, b) = the sum of the partial sums of all blocks, in a fixed order.
template <int Width>
__global__ void add_tall_gram(const double* partial, int blocks, int rows, double* g) {
  const int a = static_cast<int>(blockIdx.x);
  const int b = static_cast<int>(blockIdx.y);
  const double* mine = partial + Index{a * Width + b} * blocks;
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < blocks; i += 32) sum += mine[i];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffU, sum, distance);
  if (threadIdx.x == 0) g[b * rows + a] = sum;
}

/// Launch shape: columns of x in groups of `Rows`, which share the thread blocks.
template <int Rows, int Width>
struct TallGram {
  TallGram(Index rows, int columns)
      : groups((columns + Rows - 1) / Rows), blocks(tall_blocks(rows)) {
    const Index most = kTallBlocks / groups;
    if (blocks > most) blocks = most;
  }
  /// Numbers of workspace in addition to the result.
  Index partials() const { return Index{groups} * Rows * Width * blocks; }

  template <class X>
  void launch(BasicBlock<const X> x, ConstBlock y, double* partial, double* g,
              cudaStream_t stream) const {
    const dim3 gram_grid(static_cast<unsigned>(blocks), static_cast<unsigned>(groups));
    tall_gram<Rows, Width><<<gram_grid, kTallThreads, 0, stream>>>(x, y, partial);
    check_launch("tall_gram");
    const dim3 grid(static_cast<unsigned>(x.columns), static_cast<unsigned>(y.columns));
    add_tall_gram<Width><<<grid, 32, 0, stream>>>(partial, static_cast<int>(blocks), x.columns, g);
    check_launch("add_tall_gram");
  }

  int groups;
  Index blocks;
};

}  // namespace cisolve::base::cuda
