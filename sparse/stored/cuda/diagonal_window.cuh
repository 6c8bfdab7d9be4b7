#pragma once

#include "sparse/stored/cuda/diagonal_kernels.cuh"

// Products with several vectors and clustered diagonals: the part of x needed by a block of rows is
// loaded into shared memory once per window of diagonals. In the L1 cache an unaligned load of 32
// values takes twice as long as an aligned one, and otherwise each element and vector needs one.
namespace cisolve::sparse::cuda {

constexpr int kNumbersOfWindow = kThreadsOfDiagonals + int{DiagonalView::kReach};
constexpr int kWidestWindow = 8;  // vectors

/// Pairs of vectors side by side, one plane per pair, which avoids bank conflicts.
template <int Width>
using DiagonalWindow = double2[Width / 2][kNumbersOfWindow];

/// Loads rows of x from `from` on.
template <int Width>
__device__ __forceinline__ void bring(DiagonalWindow<Width>& window, const base::ConstBlock& x,
                                      Index from, int numbers) {
  for (auto i = static_cast<int>(threadIdx.x); i < numbers; i += kThreadsOfDiagonals)
#pragma unroll
    for (int pair = 0; pair < Width / 2; ++pair) {
      const double* const column = x.data + 2 * pair * x.stride + from + i;
      window[pair][i] = {__ldg(column), __ldg(column + x.stride)};
    }
}

/// Adds terms of a window with an element in all rows of the block; `place` is the thread's row in
/// the window for shift 0.
template <int AtOnce, class Read, int Width>
__device__ __forceinline__ void add_of_window(double (&sums)[Width], const double* values,
                                              const DiagonalTerm* terms,
                                              const DiagonalWindow<Width>& window, Index place) {
  double value[AtOnce];
#pragma unroll
  for (int t = 0; t < AtOnce; ++t) value[t] = Read::read(values + terms[t].base);
#pragma unroll
  for (int t = 0; t < AtOnce; ++t) {
    const auto there = static_cast<int>(place + terms[t].shift);
#pragma unroll
    for (int pair = 0; pair < Width / 2; ++pair) {
      const double2 x = window[pair][there];
      const double first = fma(value[t], x.x, sums[2 * pair]);
      const double second = fma(value[t], x.y, sums[2 * pair + 1]);
      sums[2 * pair] = value[t] != 0 ? first : sums[2 * pair];
      sums[2 * pair + 1] = value[t] != 0 ? second : sums[2 * pair + 1];
    }
  }
}

/// Same sums in the same order as diagonal_product.
template <int Width, int AtOnce, int Blocks, class Read>
__global__ void __launch_bounds__(kThreadsOfDiagonals, Blocks)
    diagonal_window_product(const DiagonalLaunch p) {
  __shared__ DiagonalTerm lot[kTermsAtOnce];
  __shared__ DiagonalWindow<Width> window;
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
      const Index lowest = lot[t].shift;
      const int end = t + __syncthreads_count(thread >= t && thread < range.last_whole &&
                                              lot[thread].shift <= lowest + DiagonalView::kReach);
      const auto numbers = static_cast<int>(last - first + lot[end - 1].shift - lowest);
      bring<Width>(window, p.x, first + lowest, numbers);
      __syncthreads();
      const Index place = row[0] - first - lowest;
      for (; t + AtOnce <= end; t += AtOnce)
        add_of_window<AtOnce, Read, Width>(sums[0], p.a.value + row[0], lot + t, window, place);
      for (; t < end; ++t)
        add_of_window<1, Read, Width>(sums[0], p.a.value + row[0], lot + t, window, place);
    }
    for (; t < range.last; ++t) add_partial<Read>(sums, p.a, lot[t], row, p.x);
  }
  if (first + thread >= last) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) write_result(p.alpha, sums[0][j], p.beta, p.y(row[0], j));
}

template <int Width, int AtOnce, int Blocks>
void launch_diagonal_window(const DiagonalLaunch& product, cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>((product.a.rows + kThreadsOfDiagonals - 1) / kThreadsOfDiagonals);
  if (product.a.reads_twice)
    diagonal_window_product<Width, AtOnce, Blocks, ReadCached>
        <<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  else
    diagonal_window_product<Width, AtOnce, Blocks, ReadOnce>
        <<<blocks, kThreadsOfDiagonals, 0, stream>>>(product);
  base::cuda::check_launch("diagonal_window_product");
}

/// Wide bands need more loads in flight, hence more registers.
template <int Width>
void launch_diagonal_window(const DiagonalLaunch& product, cudaStream_t stream) {
  constexpr Index kMany = 64;
  if constexpr (Width == kWidestWindow)
    launch_diagonal_window<Width, 4, 4>(product, stream);
  else if (product.a.count >= kMany)
    launch_diagonal_window<Width, 8, 3>(product, stream);
  else
    launch_diagonal_window<Width, 8, 4>(product, stream);
}

}  // namespace cisolve::sparse::cuda
