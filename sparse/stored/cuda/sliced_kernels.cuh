#pragma once

#include "sparse/stored/cuda/row_kernels.cuh"

// Slices stored column by column: one thread per row; neighbouring threads read neighbouring words.
namespace cisolve::sparse::cuda {

/// Blocks per multiprocessor, chosen to hide latency.
template <int AtOnce, int Width>
constexpr int kSlicedBlocks = Width == 1   ? (AtOnce == 4 ? 16 : 10)
                              : Width <= 4 ? 12
                                           : 7;

template <int AtOnce, int Width>
__global__ void __launch_bounds__(kRowThreads, kSlicedBlocks<AtOnce, Width>)
    sliced_product(const RowProduct<SlicedView> p) {
  const auto row = blockIdx.x * unsigned{kRowThreads} + threadIdx.x;  // rows are fewer than 2^31
  if (row >= p.a.rows) return;
  const Index height = p.a.slice_height;
  const unsigned slice = height < p.a.rows ? row / static_cast<unsigned>(height) : 0;
  const Index first = p.a.slice_offsets[slice];
  const Index stored = p.a.slice_offsets[slice + 1] - first;
  const Index place = row - slice * height;
  const Column* columns = p.a.column + first + place;
  const double* values = p.a.value + first + place;
  // Row length, or that of the slice, within which the column -1 ends a row.
  const Index end = p.a.lengths != nullptr ? p.a.lengths[row] * height : stored;
  double sums[Width] = {};
  for (Index k = 0; k < end; k += AtOnce * height)
    if (!add_elements<AtOnce, ReadOnce>(sums, columns + k, values + k, height, end - k, p.x)) break;
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[j], p.beta, p.y(row, j));
}

template <int Width>
void launch_sliced_product(const RowProduct<SlicedView>& product, cudaStream_t stream) {
  // Few or short rows are latency-bound: load more elements at once.
  constexpr Index kFewRows = 100'000;
  constexpr Index kShort = 32;
  constexpr int kMany = Width <= 4 ? 4 : 2;
  constexpr int kMore = Width == 1 ? 8 : kMany;
  const auto blocks = static_cast<unsigned>((product.a.rows + kRowThreads - 1) / kRowThreads);
  const SlicedView& a = product.a;
  if (a.rows < kFewRows || a.positions < kShort * a.rows)
    sliced_product<kMore, Width><<<blocks, kRowThreads, 0, stream>>>(product);
  else
    sliced_product<kMany, Width><<<blocks, kRowThreads, 0, stream>>>(product);
  base::cuda::check_launch("sliced_product");
}

}  // namespace cisolve::sparse::cuda
