#pragma once

#include "base/block.hpp"
#include "base/host_device.hpp"
#include "ci/hamiltonian/csf/csf_groups.hpp"

// Expansion and contraction: each element is summed by one thread, in the host's order.
namespace cisolve::ci::cuda {

constexpr int kCsfThreads = 256;

/// Thread blocks are assigned to groups in order: the first block of a group in each kernel.
struct CsfFirstBlocks {
  Index first_expansion;
  Index first_contraction;
};

struct CsfView {
  int count = 0;
  const CsfGroup* groups = nullptr;
  const CsfFirstBlocks* first_blocks = nullptr;
  const CsfPlace* places = nullptr;
  const Index* rows = nullptr;
  const double* by_pattern = nullptr;
  const double* by_function = nullptr;
};

/// Configurations that a block contracts at once: as many as have all their patterns covered by its
/// threads, else one, in several passes.
CISOLVE_HOST_DEVICE inline Index contracted_at_once(const CsfGroup& group) {
  return group.patterns < kCsfThreads ? kCsfThreads / group.patterns : 1;
}

/// Blocks per set of configurations, which share its functions.
CISOLVE_HOST_DEVICE inline Index blocks_of_functions(const CsfGroup& group) {
  return (group.functions + kCsfThreads - 1) / kCsfThreads;
}

/// The last group whose first block is this one or earlier; skips groups without blocks.
__device__ inline int group_of(const CsfView& view, Index CsfFirstBlocks::*first) {
  int group = 0;
  while (group + 1 < view.count && view.first_blocks[group + 1].*first <= Index{blockIdx.x})
    ++group;
  return group;
}

/// One thread per determinant, those of a configuration adjacent.
template <int kColumns>
__global__ void __launch_bounds__(kCsfThreads)
    expand_csfs(const CsfView view, base::ConstBlock functions, base::Block determinants) {
  const int number = group_of(view, &CsfFirstBlocks::first_expansion);
  const CsfGroup group = view.groups[number];
  const Index mine = (Index{blockIdx.x} - view.first_blocks[number].first_expansion) * kCsfThreads +
                     static_cast<int>(threadIdx.x);
  if (mine >= group.configurations * group.patterns) return;
  const CsfPlace place = view.places[group.first_place + mine / group.patterns];
  const Index pattern = mine % group.patterns;
  const double* coefficients = view.by_function + group.first_coefficient + pattern;
  double sums[kColumns] = {};
  for (Index f = 0; f < group.functions; ++f) {
    const double coefficient = coefficients[f * group.patterns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (j < functions.columns)
        sums[j] = fma(coefficient, functions(place.first_function + f, j), sums[j]);
  }
  const Index row = view.rows[place.first_row + pattern];
#pragma unroll
  for (int j = 0; j < kColumns; ++j)
    if (j < functions.columns) determinants(row, j) = sums[j];
}

/// One thread per function. The block first gathers its determinants into shared memory, one number
/// per thread, as gathering one by one would wait for each load.
template <int kColumns>
__global__ void __launch_bounds__(kCsfThreads)
    contract_csfs(const CsfView view, base::ConstBlock determinants, base::Block functions) {
  __shared__ double gathered[kColumns][kCsfThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int number = group_of(view, &CsfFirstBlocks::first_contraction);
  const CsfGroup group = view.groups[number];
  const Index block = Index{blockIdx.x} - view.first_blocks[number].first_contraction;
  const Index parts = blocks_of_functions(group);
  const Index first = block / parts * contracted_at_once(group);
  const CsfPlace* places = view.places + group.first_place + first;
  const Index left = group.configurations - first;
  const Index count = left < contracted_at_once(group) ? left : contracted_at_once(group);

  const Index mine = block % parts * kCsfThreads + thread;
  const bool has_one = mine < count * group.functions;
  const Index own = mine / group.functions;  // configuration within this block
  const Index function = mine % group.functions;
  double sums[kColumns] = {};
  for (Index begin = 0; begin < group.patterns; begin += kCsfThreads) {
    const Index rest = group.patterns - begin;
    const int width = static_cast<int>(rest < kCsfThreads ? rest : kCsfThreads);
    if (thread < count * width) {
      const Index row = view.rows[places[thread / width].first_row + begin + thread % width];
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
        gathered[j][thread] = j < determinants.columns ? determinants(row, j) : 0;
    }
    __syncthreads();
    if (has_one) {
      const double* coefficients =
          view.by_pattern + group.first_coefficient + begin * group.functions + function;
#pragma unroll 4
      for (int i = 0; i < width; ++i) {
        const double coefficient = coefficients[i * group.functions];
#pragma unroll
        for (int j = 0; j < kColumns; ++j)
          sums[j] = fma(coefficient, gathered[j][own * width + i], sums[j]);
      }
    }
    __syncthreads();
  }
  if (!has_one) return;
#pragma unroll
  for (int j = 0; j < kColumns; ++j)
    if (j < determinants.columns) functions(places[own].first_function + function, j) = sums[j];
}

}  // namespace cisolve::ci::cuda
