#pragma once

#include "sparse/stored/cuda/row_kernels.cuh"

// Diagonals: a thread computes a few rows, neighbouring threads neighbouring ones, so that values,
// x and y are read contiguously; vectors need no interleaving.
namespace cisolve::sparse::cuda {

constexpr int kThreadsOfDiagonals = 256;
constexpr int kTermsAtOnce = 256;  // terms in shared memory

struct DiagonalLaunch {
  DiagonalView a;
  double alpha;
  base::ConstBlock x;
  double beta;
  base::Block y;
};

/// Terms of a batch with an element in some of the rows, and those with one in all rows.
struct TermRange {
  int first;
  int first_whole;
  int last_whole;
  int last;
};

/// Terms ascend, so each bound is a count over the block's threads.
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

/// Sums of a thread by row and vector.
template <int Width, int Rows>
using DiagonalSums = double[Rows][Width];

/// Adds terms with an element in all rows of the block, loading everything before the first
/// multiplication. For a value 0 the product is discarded, since x may be NaN.
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
    diagonal_product(const DiagonalLaunch p) {
  __shared__ DiagonalTerm lot[kTermsAtOnce];
  const Index first = Index{blockIdx.x} * (kThreadsOfDiagonals * Rows);
  const Index last = min(first + kThreadsOfDiagonals * Rows, p.a.rows);
  const auto thread = static_cast<int>(threadIdx.x);
  Index row[Rows];  // rows beyond the last repeat it and are not written
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
void launch_diagonal_product(const DiagonalLaunch& product, cudaStream_t stream) {
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

template <int Width>
void launch_diagonal_product(const DiagonalLaunch& product, cudaStream_t stream) {
  constexpr Index kMany = 64;  // few terms: more blocks hide start-up latency
  const bool many = product.a.count >= kMany;
  if constexpr (Width == 1) {
    if (many) return launch_diagonal_product<Width, 1, 8, 4>(product, stream);
    launch_diagonal_product<Width, 1, 4, 8>(product, stream);
  } else if constexpr (Width == 2) {
    launch_diagonal_product<Width, 1, 4, 4>(product, stream);
  } else if constexpr (Width == 4) {
    if (many) return launch_diagonal_product<Width, 1, 4, 2>(product, stream);
    launch_diagonal_product<Width, 1, 4, 4>(product, stream);
  } else {
    if (many && Width == 8) return launch_diagonal_product<Width, 1, 2, 4>(product, stream);
    launch_diagonal_product<Width, 1, 1, 4>(product, stream);
  }
}

}  // namespace cisolve::sparse::cuda
