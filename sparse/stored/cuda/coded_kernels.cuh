#pragma once

#include "sparse/stored/cuda/row_kernels.cuh"

// Coded slices: one thread per row, as in plain slices. An element takes 5 bytes instead of 12, so
// the number of loads in flight limits the speed.
namespace cisolve::sparse::cuda {

/// Decodes the values of a row.
struct RowValues {
  const double* table;  // in shared memory, one entry per possible code
  double own;
  int own_code;  // code of `own`; -1 if the table has the diagonal

  __device__ double operator[](int code) const {
    const double found = table[code];
    return code == own_code ? own : found;
  }
};

/// Remaining elements of a row. The usual slice height is a template argument, which saves address
/// registers; 0 stands for any height.
template <int Height>
struct CodedRow {
  const Column* columns;
  const std::uint8_t* codes;
  Index height;
  Column count;  // columns of the slice; the column -1 ends a row earlier

  __device__ CodedRow(const CodedSlicedView& a, unsigned row)
      : height(Height > 0 ? Height : a.slice_height) {
    const unsigned slice = height < a.rows ? row / static_cast<unsigned>(height) : 0;
    const Index first = a.slice_offsets[slice];
    const Index place = first + (row - slice * height);
    count = static_cast<Column>((a.slice_offsets[slice + 1] - first) / height);
    columns = a.column + place;
    codes = a.code + place;
  }
  __device__ Index step() const { return Height > 0 ? Height : height; }
};

template <int Width>
__device__ __forceinline__ void read_vectors(double (&values)[Width], const double* x,
                                             Index column) {
  if constexpr (Width == 1) {
    values[0] = __ldg(x + column);
  } else {
    const auto* pair = reinterpret_cast<const double2*>(x + column * Width);
#pragma unroll
    for (int j = 0; j < Width / 2; ++j) {
      const double2 both = __ldg(pair + j);
      values[2 * j] = both.x;
      values[2 * j + 1] = both.y;
    }
  }
}

/// Adds up to `AtOnce` elements, loading all columns and codes before the first use. Returns true
/// if all of them existed.
template <int AtOnce, int Width, int Height>
__device__ __forceinline__ bool add_coded(double (&sums)[Width], const CodedRow<Height>& row,
                                          const RowValues& values, const double* x) {
  Column column[AtOnce];
  int code[AtOnce];
#pragma unroll
  for (int i = 0; i < AtOnce; ++i)
    column[i] = i < row.count ? __ldcs(row.columns + i * row.step()) : -1;
#pragma unroll
  for (int i = 0; i < AtOnce; ++i) code[i] = i < row.count ? __ldcs(row.codes + i * row.step()) : 0;
  double of_x[AtOnce][Width];
#pragma unroll
  for (int i = 0; i < AtOnce; ++i) read_vectors(of_x[i], x, max(column[i], 0));
#pragma unroll
  for (int i = 0; i < AtOnce; ++i) {
    const double value = values[code[i]];
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const double sum = sums[j] + value * of_x[i][j];
      sums[j] = column[i] >= 0 ? sum : sums[j];
    }
  }
  return column[AtOnce - 1] >= 0;
}

/// Elements loaded at once; their values of x are kept in registers for all vectors.
template <int Width>
constexpr int kCodedAtOnce = Width == 1   ? 8
                             : Width <= 4 ? 4
                             : Width == 8 ? 2
                                          : 1;
template <int Width>
constexpr int kCodedBlocks = Width <= 4 ? 8 : 6;

template <int Width, int Height>
__global__ void __launch_bounds__(kRowThreads, kCodedBlocks<Width>)
    coded_product(const RowProduct<CodedSlicedView> p) {
  __shared__ double table[CodedSlicedView::kMostValues];
  const auto row = blockIdx.x * unsigned{kRowThreads} + threadIdx.x;
  const bool is_there = row < p.a.rows;
  CodedRow<Height> left(p.a, is_there ? row : 0);
  RowValues values{table, 0, -1};
  if (p.a.diagonal != nullptr && is_there)
    values = {table, p.a.diagonal[row], CodedSlicedView::kDiagonalCode};
  for (auto i = static_cast<int>(threadIdx.x); i < p.a.table_size; i += kRowThreads)
    table[i] = __ldg(p.a.table + i);
  __syncthreads();
  if (!is_there) return;
  double sums[Width] = {};
  constexpr int kAtOnce = kCodedAtOnce<Width>;
  for (; left.count > 0; left.count -= kAtOnce) {
    if (!add_coded<kAtOnce>(sums, left, values, p.x)) break;
    left.columns += kAtOnce * left.step();
    left.codes += kAtOnce * left.step();
  }
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[j], p.beta, p.y(row, j));
}

template <int Width>
void launch_coded_product(const RowProduct<CodedSlicedView>& product, cudaStream_t stream) {
  constexpr int kUsual = 32;  // FormatOptions::slice_height
  const auto blocks = static_cast<unsigned>((product.a.rows + kRowThreads - 1) / kRowThreads);
  if (product.a.slice_height == kUsual)
    coded_product<Width, kUsual><<<blocks, kRowThreads, 0, stream>>>(product);
  else
    coded_product<Width, 0><<<blocks, kRowThreads, 0, stream>>>(product);
  base::cuda::check_launch("coded_product");
}

}  // namespace cisolve::sparse::cuda
