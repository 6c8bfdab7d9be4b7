#pragma once

#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/products.hpp"

// Formats that are stored by rows: `Lanes` threads share a row, add up with shuffles in a fixed
// order and write y once.
namespace cisolve::sparse::cuda {

constexpr int kRowThreads = 128;

template <class View>
struct RowProduct {
  View a;
  double alpha;
  const double* x;  // interleaved
  double beta;
  base::Block y;
};

template <int Lanes, int Width, class View>
__global__ void __launch_bounds__(kRowThreads) row_product(const RowProduct<View> p) {
  const Index thread = Index{blockIdx.x} * kRowThreads + threadIdx.x;
  const Index row = thread / Lanes;
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  double sums[Width] = {};
  if (row < p.a.rows)
    p.a.visit(row, lane, Lanes,
              [&](Index column, double value) { multiply_add<Width>(sums, value, p.x, column); });
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int j = 0; j < Width; ++j)
      sums[j] += __shfl_down_sync(0xffffffffU, sums[j], distance, Lanes);
  if (row >= p.a.rows || lane != 0) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[j], p.beta, p.y(row, j));
}

template <int Lanes, int Width, class View>
void launch_row_product(const RowProduct<View>& product, cudaStream_t stream) {
  constexpr Index kRowsPerBlock = kRowThreads / Lanes;
  const auto blocks = static_cast<unsigned>((product.a.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  row_product<Lanes, Width><<<blocks, kRowThreads, 0, stream>>>(product);
  base::cuda::check_launch("row_product");
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
