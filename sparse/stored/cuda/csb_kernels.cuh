#pragma once

#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/products.hpp"

// Compressed sparse blocks: one thread block per row of blocks, its part of y in shared memory.
// Each warp owns a range of rows, so no element is added by two warps and the order is fixed.
namespace cisolve::sparse::cuda {

constexpr int kCsbThreads = 256;
constexpr int kCsbWarps = kCsbThreads / 32;
constexpr Index kCsbSharedBytes = 64 * 1024;

struct CsbProduct {
  CsbView a;
  double alpha;
  const double* x;  // interleaved
  double beta;
  base::Block y;
};

/// Number of vectors whose parts of y fit into shared memory.
inline int widest_csb_group(Index block_size) {
  const Index fitting = kCsbSharedBytes / (block_size * Index{sizeof(double)});
  return fitting >= 4 ? 4 : fitting >= 2 ? 2 : 1;
}

/// First element in [first, last) of a block with at least this row.
__device__ inline Index first_of_row(const CsbView& a, Index first, Index last, Index row) {
  while (first < last) {
    const Index middle = first + (last - first) / 2;
    if (a.row[middle] < row)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// Segmented sum over lanes with equal rows; returns true in the last lane of each run, which then
/// holds the run's sum.
template <int Width>
__device__ bool sum_runs(int row, double (&values)[Width]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffU, row, distance);
    const bool same = lane >= distance && other == row;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const double value = __shfl_up_sync(0xffffffffU, values[j], distance);
      if (same) values[j] += value;
    }
  }
  const int next = __shfl_down_sync(0xffffffffU, row, 1);
  return lane == 31 || next != row;
}

template <int Width>
__global__ void __launch_bounds__(kCsbThreads) csb_product(const CsbProduct p) {
  extern __shared__ double result[];  // block_size x Width
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Index warp = threadIdx.x / 32;
  const Index first_row = p.a.block_size * warp / kCsbWarps;
  const Index last_row = p.a.block_size * (warp + 1) / kCsbWarps;
  for (Index i = first_row * Width + lane; i < last_row * Width; i += 32) result[i] = 0;
  __syncwarp();
  for (Index block = 0; block < p.a.block_columns; ++block) {
    const Index* offset = p.a.block_offsets + Index{blockIdx.x} * p.a.block_columns + block;
    const Index begin = first_of_row(p.a, offset[0], offset[1], first_row);
    const Index end = first_of_row(p.a, begin, offset[1], last_row);
    for (Index base = begin; base < end; base += 32) {
      const Index k = base + lane;
      const int row = k < end ? p.a.row[k] : -1;
      double sums[Width] = {};
      if (k < end)
        multiply_add<Width>(sums, p.a.value[k], p.x, block * p.a.block_size + p.a.column[k]);
      const bool is_last = sum_runs<Width>(row, sums);
      if (is_last && row >= 0)
        for (int j = 0; j < Width; ++j) result[Index{row} * Width + j] += sums[j];
      __syncwarp();
    }
  }
  for (Index i = first_row + lane; i < last_row; i += 32) {
    const Index row = Index{blockIdx.x} * p.a.block_size + i;
    if (row < p.a.rows)
      for (int j = 0; j < Width; ++j)
        write_result(p.alpha, result[i * Width + j], p.beta, p.y(row, j));
  }
}

template <int Width>
void launch_csb_product(const CsbProduct& product, cudaStream_t stream) {
  const auto shared = static_cast<int>(product.a.block_size * Width * Index{sizeof(double)});
  base::cuda::check(
      cudaFuncSetAttribute(csb_product<Width>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
      "cudaFuncSetAttribute");
  csb_product<Width>
      <<<static_cast<unsigned>(product.a.block_rows), kCsbThreads, shared, stream>>>(product);
  base::cuda::check_launch("csb_product");
}

__global__ void diagonal_of_blocks(const CsbView a, base::Block d) {
  const Index block = blockIdx.x;
  const Index first = block * a.block_size;
  for (Index i = threadIdx.x; i < a.block_size && first + i < a.rows; i += kCsbThreads)
    d(first + i, 0) = 0;
  __syncthreads();
  const Index* offset = a.block_offsets + block * a.block_columns + block;
  for (Index k = offset[0] + threadIdx.x; k < offset[1]; k += kCsbThreads)
    if (a.row[k] == a.column[k]) d(first + a.row[k], 0) = a.value[k];
}

inline void launch_diagonal(const CsbView& a, base::Block d, cudaStream_t stream) {
  if (a.rows == 0) return;
  diagonal_of_blocks<<<static_cast<unsigned>(a.block_rows), kCsbThreads, 0, stream>>>(a, d);
  base::cuda::check_launch("diagonal_of_blocks");
}

}  // namespace cisolve::sparse::cuda
