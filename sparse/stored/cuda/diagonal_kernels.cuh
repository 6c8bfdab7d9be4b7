#pragma once

#include "sparse/stored/cuda/row_kernels.cuh"

// Diagonals: a thread takes a few rows, neighbouring threads neighbouring ones, so that values, x
// and y are all read in order, and x is as it came for any number of vectors.
namespace cisolve::sparse::cuda {

constexpr int kThreadsOfDiagonals = 256;
constexpr int kTermsAtOnce = 256;  // in shared memory

struct DiagonalProduct {
  DiagonalView a;
  double alpha;
  base::ConstBlock x;
  double beta;
  base::Block y;
};

/// The terms of a lot that have an element in some rows, and those that have one in all of them.
struct TermRange {
  int first;
  int first_whole;
  int last_whole;
  int last;
};

/// Terms ascend, so a range is found by counting; the whole block takes part.
__device__ inline TermRange terms_of_rows(const DiagonalView& a, const DiagonalTerm* lot, int size,
                                          Index first, Index last) {
  const auto thread = static_cast<int>(threadIdx.x);
  const Index shift = thread < size ? lot[thread].shift : INT64_MAX;
  TermRange range{};
  range.first = __syncthreads_count(shift < 1 - last);
  range.first_whole = __syncthreads_count(shift < -first);
  range.last_whole = __syncthreads_count(shift <= a.columns - last);
  range.last = __syncthreads_count(shift < a.columns - first);
  range.first_whole = min(range.first_whole, range.last);
  range.last_whole = max(range.first_whole, min(range.last_whole, range.last));
  return range;
}

/// What a thread has added up, of its rows and vectors.
template <int Width, int Rows>
using DiagonalSums = double[Rows][Width];

/// Some terms that have an element in all rows of the block: everything is on its way before the
/// first is multiplied. A value 0 leaves x aside, which may be no number.
template <int AtOnce, class Read, int Width, int Rows>
__device__ __forceinline__ void add_whole(DiagonalSums<Width, Rows>& sums, const double* values,
                                          const DiagonalTerm* terms, const Index (&row)[Rows],
                                          const base::ConstBlock& x) {
  double value[AtOnce][Rows];
  double of_x[AtOnce][Rows][Width];
#pragma unroll
  for (int t = 0; t < AtOnce; ++t)
#pragma unroll
    for (int r = 0; r < Rows; ++r) value[t][r] = Read::read(values + terms[t].base + row[r]);
#pragma unroll
  for (int t = 0; t < AtOnce; ++t)
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int j = 0; j < Width; ++j)
        of_x[t][r][j] = __ldg(x.data + j * x.stride + row[r] + terms[t].shift);
#pragma unroll
  for (int t = 0; t < AtOnce; ++t)
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const double sum = fma(value[t][r], of_x[t][r][j], sums[r][j]);
        sums[r][j] = value[t][r] != 0 ? sum : sums[r][j];
      }
}

template <class Read, int Width, int Rows>
__device__ __forceinline__ void add_partial(DiagonalSums<Width, Rows>& sums, const DiagonalView& a,
                                            const DiagonalTerm& term, const Index (&row)[Rows],
                                            const base::ConstBlock& x) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const Index column = row[r] + term.shift;
    if (column < 0 || column >= a.columns) continue;
    const double value = Read::read(a.value + term.base + row[r]);
    if (value == 0) continue;
#pragma unroll
    for (int j = 0; j < Width; ++j)
      sums[r][j] = fma(value, __ldg(x.data + j * x.stride + column), sums[r][j]);
  }
}

template <int Width, int Rows, int AtOnce, int Blocks, class Read>
__global__ void __launch_bounds__(kThreadsOfDiagonals, Blocks)
    diagonal_product(const DiagonalProduct p) {
  __shared__ DiagonalTerm lot[kTermsAtOnce];
  const Index first = Index{blockIdx.x} * (kThreadsOfDiagonals * Rows);
  const Index last = min(first + kThreadsOfDiagonals * Rows, p.a.rows);
  const auto thread = static_cast<int>(threadIdx.x);
  Index row[Rows];  // beyond the last one, that again: it is not written
#pragma unroll
  for (int r = 0; r < Rows; ++r) row[r] = min(first + r * kThreadsOfDiagonals + thread, last - 1);
  DiagonalSums<Width, Rows> sums = {};
  for (Index begin = 0; begin < p.a.count; begin += kTermsAtOnce) {
    const auto size = static_cast<int>(min(Index{kTermsAtOnce}, p.a.count - begin));
    __syncthreads();
    if (thread < size) lot[thread] = p.a.terms[begin + thread];
    __syncthreads();
    const TermRange range = terms_of_rows(p.a, lot, size, first, last);
    int t = range.first;
    for (; t < range.first_whole; ++t) add_partial<Read>(sums, p.a, lot[t], row, p.x);
    for (; t + AtOnce <= range.last_whole; t += AtOnce)
      add_whole<AtOnce, Read>(sums, p.a.value, lot + t, row, p.x);
    for (; t < range.last_whole; ++t) add_whole<1, Read>(sums, p.a.value, lot + t, row, p.x);
    for (; t < range.last; ++t) add_partial<Read>(sums, p.a, lot[t], row, p.x);
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (first + r * kThreadsOfDiagonals + thread >= last) continue;
#pragma unroll
    for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[r][j], p.beta, p.y(row[r], j));
  }
}

template <int Width, int Rows, int AtOnce, int Blocks>
void launch_diagonal_product(const DiagonalProduct& product, cudaStream_t stream) {
  constexpr Index rows = kThreadsOfDiagonals * Rows;
  const auto blocks = static_cast<unsigned>((product.a.rows + rows - 1) / rows);
  if (product.a.reads_twice)
    diagonal_product<Width, Rows, AtOnce, Blocks, ReadCached>
        <<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  else
    diagonal_product<Width, Rows, AtOnce, Blocks, ReadOnce>
        <<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  base::cuda::check_launch("diagonal_product");
}

/// Rows of x that a block of threads holds for terms which lie close to one another.
template <int Width>
constexpr int kWindow = Width <= 8 ? 512 : 320;

/// Terms of a lot that share a window of x: how many from `first` on.
template <int Width>
__device__ __forceinline__ int terms_of_window(const DiagonalTerm* lot, int first, int last) {
  constexpr Index span = kWindow<Width> - kThreadsOfDiagonals;
  int end = first + 1;
  while (end < last && lot[end].shift - lot[first].shift <= span) ++end;
  return end - first;
}

/// Whether to bring their window costs less than to read x for each of them.
__device__ __forceinline__ bool window_pays(const DiagonalTerm* lot, int first, int count) {
  const Index span = lot[first + count - 1].shift - lot[first].shift;
  return Index{count} * kThreadsOfDiagonals >= 3 * (kThreadsOfDiagonals + span);
}

/// Terms that have an element in all rows of the block and share a window.
template <class Read, int Width>
__device__ __forceinline__ void add_window(DiagonalSums<Width, 1>& sums, const double* values,
                                           const DiagonalTerm* terms, int count, Index first,
                                           Index last, Index row, const base::ConstBlock& x,
                                           double* window) {
  constexpr int kAtOnce = Width <= 4 ? 8 : 4;
  const Index begin = first + terms[0].shift;
  const auto size = static_cast<int>(last + terms[count - 1].shift - begin);
  __syncthreads();  // the window before is not read any more
  for (auto i = static_cast<int>(threadIdx.x); i < size; i += kThreadsOfDiagonals)
#pragma unroll
    for (int j = 0; j < Width; ++j)
      window[j * kWindow<Width> + i] = __ldg(x.data + j * x.stride + begin + i);
  __syncthreads();
  const double* mine = window + (row - first);
  for (int t = 0; t < count; t += kAtOnce) {
    double value[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      value[k] = t + k < count ? Read::read(values + terms[t + k].base + row) : 0;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (t + k >= count) break;
      const double* of_x = mine + (terms[t + k].shift - terms[0].shift);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const double sum = fma(value[k], of_x[j * kWindow<Width>], sums[0][j]);
        sums[0][j] = value[k] != 0 ? sum : sums[0][j];
      }
    }
  }
}

/// Several vectors: x would be read from the first-level cache once for each element and vector,
/// which takes longer than to read the matrix.
template <int Width, class Read>
__global__ void __launch_bounds__(kThreadsOfDiagonals, Width <= 4 ? 6 : 3)
    diagonal_block_product(const DiagonalProduct p) {
  __shared__ DiagonalTerm lot[kTermsAtOnce];
  __shared__ double window[Width * kWindow<Width>];
  const Index first = Index{blockIdx.x} * kThreadsOfDiagonals;
  const Index last = min(first + kThreadsOfDiagonals, p.a.rows);
  const auto thread = static_cast<int>(threadIdx.x);
  const Index row[1] = {min(first + thread, last - 1)};
  DiagonalSums<Width, 1> sums = {};
  for (Index begin = 0; begin < p.a.count; begin += kTermsAtOnce) {
    const auto size = static_cast<int>(min(Index{kTermsAtOnce}, p.a.count - begin));
    __syncthreads();
    if (thread < size) lot[thread] = p.a.terms[begin + thread];
    __syncthreads();
    const TermRange range = terms_of_rows(p.a, lot, size, first, last);
    int t = range.first;
    for (; t < range.first_whole; ++t) add_partial<Read>(sums, p.a, lot[t], row, p.x);
    while (t < range.last_whole) {
      const int count = terms_of_window<Width>(lot, t, range.last_whole);
      if (window_pays(lot, t, count))
        add_window<Read, Width>(sums, p.a.value, lot + t, count, first, last, row[0], p.x, window);
      else
        for (int k = t; k < t + count; ++k) add_whole<1, Read>(sums, p.a.value, lot + k, row, p.x);
      t += count;
    }
    for (; t < range.last; ++t) add_partial<Read>(sums, p.a, lot[t], row, p.x);
  }
  if (first + thread >= last) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[0][j], p.beta, p.y(row[0], j));
}

template <int Width>
void launch_diagonal_block_product(const DiagonalProduct& product, cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>((product.a.rows + kThreadsOfDiagonals - 1) / kThreadsOfDiagonals);
  if (product.a.reads_twice)
    diagonal_block_product<Width, ReadCached><<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  else
    diagonal_block_product<Width, ReadOnce><<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  base::cuda::check_launch("diagonal_block_product");
}

template <int Width>
void launch_diagonal_product(const DiagonalProduct& product, cudaStream_t stream) {
  constexpr Index kMany = 64;  // with few terms, more blocks hide what each begins with
  if constexpr (Width > 2)
    launch_diagonal_block_product<Width>(product, stream);
  else if constexpr (Width == 2)
    launch_diagonal_product<Width, 1, 4, 4>(product, stream);
  else if (product.a.count < kMany)
    launch_diagonal_product<Width, 1, 4, 8>(product, stream);
  else
    launch_diagonal_product<Width, 1, 8, 4>(product, stream);
}

}  // namespace cisolve::sparse::cuda
