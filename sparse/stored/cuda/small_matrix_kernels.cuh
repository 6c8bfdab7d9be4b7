#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "sparse/stored/cuda/row_kernels.cuh"

// Small matrices are limited by memory latency: a single thread block loads offsets, elements and
// vectors at once, while a product by rows loads offsets, then elements, then x.
namespace cisolve::sparse::cuda {

constexpr int kSmallMatrixThreads = 256;
constexpr Index kSmallMatrixNumbers = 2048;  // numbers in all vectors; above this, x is not copied

/// Whether the matrix has at most one segment of elements. The order of summation is independent of
/// the number of vectors.
inline bool is_small_matrix(const CsrView& a) {
  return a.nonzeros <= kSegmentElements && a.rows <= kSegmentRows;
}

/// Layout of the parts in a block's shared memory.
struct SmallMatrixLayout {
  Index* offsets;  // rows + 1
  double* values;
  double* x;  // column by column
  Column* columns;

  __device__ SmallMatrixLayout(char* begin, const CsrView& a, int vectors)
      : offsets(reinterpret_cast<Index*>(begin)),
        values(reinterpret_cast<double*>(offsets + a.rows + 1)),
        x(values + a.nonzeros),
        columns(reinterpret_cast<Column*>(x + a.columns * vectors)) {}

  static Index bytes(const CsrView& a, int vectors) {
    return 8 * (a.rows + 1 + a.nonzeros + a.columns * vectors) + 4 * a.nonzeros;
  }
};

/// Starts asynchronous copies, to be committed and awaited by the caller.
template <class T>
__device__ __forceinline__ void begin_copy(T* target, const T* source, Index count) {
  for (Index i = threadIdx.x; i < count; i += blockDim.x)
    __pipeline_memcpy_async(target + i, source + i, sizeof(T));
}

template <int Lanes, int Width>
__global__ void __launch_bounds__(kSmallMatrixThreads)
    small_matrix_product(const RowProduct<CsrView, base::ConstBlock> p) {
  extern __shared__ __align__(16) char shared[];
  const SmallMatrixLayout here(shared, p.a, Width);
  begin_copy(here.columns, p.a.column, p.a.nonzeros);
  begin_copy(here.values, p.a.value, p.a.nonzeros);
  begin_copy(here.offsets, p.a.offsets, p.a.rows + 1);
#pragma unroll
  for (int j = 0; j < Width; ++j) begin_copy(here.x + j * p.a.columns, &p.x(0, j), p.a.columns);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  for (Index base = 0; base < p.a.rows; base += blockDim.x / Lanes) {
    const Index row = base + threadIdx.x / Lanes;
    const bool mine = row < p.a.rows;
    double sums[Width] = {};
    for (Index k = mine ? here.offsets[row] + lane : 0; mine && k < here.offsets[row + 1];
         k += Lanes)
#pragma unroll
      for (int j = 0; j < Width; ++j)
        sums[j] += here.values[k] * here.x[j * p.a.columns + here.columns[k]];
    add_lanes<Lanes>(sums);
    if (!mine || lane != 0) continue;
#pragma unroll
    for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[j], p.beta, p.y(row, j));
  }
}

template <int Width>
void launch_small_matrix(const RowProduct<CsrView, base::ConstBlock>& product,
                         cudaStream_t stream) {
  constexpr Index kOfLane = 2;
  const CsrView& a = product.a;
  const Index mean = a.segments.even ? a.nonzeros / a.rows : kSegmentElements;
  with_lanes(mean, kOfLane, [&](auto lanes) {
    constexpr int kLanes = decltype(lanes)::value;
    if (a.columns * Width > kSmallMatrixNumbers) return launch_rows<kLanes, Width>(product, stream);
    const Index work = std::max({a.nonzeros, a.rows * kLanes, a.columns});
    const auto threads =
        static_cast<unsigned>(std::min<Index>((work + 31) / 32 * 32, kSmallMatrixThreads));
    small_matrix_product<kLanes, Width>
        <<<1, threads, SmallMatrixLayout::bytes(a, Width), stream>>>(product);
    base::cuda::check_launch("small_matrix_product");
  });
}

}  // namespace cisolve::sparse::cuda
