#pragma once

#include <type_traits>

#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/products.hpp"

// Formats stored by rows: `Lanes` threads share a row, reduce by shuffles in a fixed order and
// write y once.
namespace cisolve::sparse::cuda {

constexpr int kRowThreads = 128;

/// X: interleaved vectors, or base::ConstBlock for vectors as given.
template <class View, class X = const double*>
struct RowProduct {
  View a;
  double alpha;
  X x;
  double beta;
  base::Block y;
};

/// Load policies for elements: evict-first (a warp's words fill whole lines) or through the caches.
struct ReadOnce {
  template <class T>
  static __device__ T read(const T* place) {
    return __ldcs(place);
  }
};
struct ReadCached {
  template <class T>
  static __device__ T read(const T* place) {
    return __ldg(place);
  }
};

/// Adds up to `AtOnce` elements, `step` apart, loaded together. Returns true if all of them
/// existed.
template <int AtOnce, class Read, int Width, class X>
__device__ __forceinline__ bool add_elements(double (&sums)[Width], const Column* columns,
                                             const double* values, Index step, Index left,
                                             const X& x) {
  Column column[AtOnce];
  double value[AtOnce];
#pragma unroll
  for (int i = 0; i < AtOnce; ++i)
    column[i] = i * step < left ? Read::read(columns + i * step) : -1;
#pragma unroll
  for (int i = 0; i < AtOnce; ++i) value[i] = i * step < left ? Read::read(values + i * step) : 0;
#pragma unroll
  for (int i = 0; i < AtOnce; ++i)
    if (column[i] >= 0) multiply_add<Width>(sums, value[i], x, column[i]);
  return column[AtOnce - 1] >= 0;
}

/// Adds one thread's elements of `count` contiguous ones, `Lanes` apart.
template <int Lanes, class Read, int Width, class X>
__device__ __forceinline__ void add_run(double (&sums)[Width], const Column* columns,
                                        const double* values, Index count, int lane, const X& x) {
  constexpr int kAtOnce = Width == 1 ? 4 : 2;
  for (Index k = lane; k < count; k += kAtOnce * Lanes)
    add_elements<kAtOnce, Read>(sums, columns + k, values + k, Lanes, count - k, x);
}

template <int Lanes, int Width, class X>
__device__ void add_row(double (&sums)[Width], const CsrView& a, Index row, int lane, const X& x) {
  const Index first = a.offsets[row];
  add_run<Lanes, ReadCached>(sums, a.column + first, a.value + first, a.offsets[row + 1] - first,
                             lane, x);
}

template <int Lanes, int Width>
__device__ void add_row(double (&sums)[Width], const HybridView& a, Index row, int lane,
                        const double* x) {
  const Index first = row * a.width;
  add_run<Lanes, ReadOnce>(sums, a.ell_column + first, a.ell_value + first, a.lengths[row], lane,
                           x);
  const Index tail = a.tail_offsets[row];
  add_run<Lanes, ReadOnce>(sums, a.tail_column + tail, a.tail_value + tail,
                           a.tail_offsets[row + 1] - tail, lane, x);
}

/// Reduces the sums of a row's threads into the first, in an order that depends on `Lanes` only.
template <int Lanes, int Width>
__device__ __forceinline__ void add_lanes(double (&sums)[Width]) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int j = 0; j < Width; ++j)
      sums[j] += __shfl_down_sync(0xffffffffU, sums[j], distance, Lanes);
}

template <int Lanes, int Width, class Product>
__global__ void __launch_bounds__(kRowThreads) row_product(const Product p) {
  const Index thread = Index{blockIdx.x} * kRowThreads + threadIdx.x;
  const Index row = thread / Lanes;
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  double sums[Width] = {};
  if (row < p.a.rows) add_row<Lanes>(sums, p.a, row, lane, p.x);
  add_lanes<Lanes>(sums);
  if (row >= p.a.rows || lane != 0) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[j], p.beta, p.y(row, j));
}

template <int Lanes, int Width, class Product>
void launch_rows(const Product& product, cudaStream_t stream) {
  constexpr Index kRowsPerBlock = kRowThreads / Lanes;
  const auto blocks = static_cast<unsigned>((product.a.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  row_product<Lanes, Width><<<blocks, kRowThreads, 0, stream>>>(product);
  base::cuda::check_launch("row_product");
}

/// Launches with a number of threads per row such that each handles up to `per_lane` elements of a
/// mean row.
template <class Launch>
void with_lanes(Index mean, Index per_lane, Launch&& launch) {
  if (mean > 16 * per_lane) return launch(std::integral_constant<int, 32>{});
  if (mean > 8 * per_lane) return launch(std::integral_constant<int, 16>{});
  if (mean > 4 * per_lane) return launch(std::integral_constant<int, 8>{});
  if (mean > 2 * per_lane) return launch(std::integral_constant<int, 4>{});
  launch(std::integral_constant<int, 2>{});
}

template <int Width, class Product>
void launch_row_product(const Product& product, Index mean, cudaStream_t stream) {
  constexpr Index kPerLane = Width == 1 ? 3 : 5;
  with_lanes(mean, kPerLane,
             [&](auto lanes) { launch_rows<decltype(lanes)::value, Width>(product, stream); });
}

template <class View>
__global__ void diagonal_of_rows(const View a, base::Block d) {
  const Index row = Index{blockIdx.x} * kRowThreads + threadIdx.x;
  if (row >= a.rows) return;
  double found = 0;
  a.visit(row, 0, 1, [&](Index column, double value) {
    if (column == row) found = value;
  });
  d(row, 0) = found;
}

template <class View>
void launch_diagonal(const View& a, base::Block d, cudaStream_t stream) {
  if (a.rows == 0) return;
  const auto blocks = static_cast<unsigned>((a.rows + kRowThreads - 1) / kRowThreads);
  diagonal_of_rows<<<blocks, kRowThreads, 0, stream>>>(a, d);
  base::cuda::check_launch("diagonal_of_rows");
}

}  // namespace cisolve::sparse::cuda
