#pragma once

#include <algorithm>

#include "base/backend.hpp"
#include "base/cuda/context.hpp"

// One grid-stride kernel for all elementwise operations on a block of vectors.
namespace cisolve::base::cuda {

inline constexpr int kElementThreads = 256;

/// Number of blocks of kElementThreads for `count` elements.
inline unsigned grid_for(Index count) {
  constexpr Index kMost = 1 << 16;
  return static_cast<unsigned>(
      std::clamp<Index>((count + kElementThreads - 1) / kElementThreads, 1, kMost));
}

__device__ inline Index first_of_thread() { return Index{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline Index all_threads() { return Index{gridDim.x} * blockDim.x; }

template <class Element>
__global__ void for_each_element(Index rows, const __grid_constant__ Element element) {
  const int j = static_cast<int>(blockIdx.y);
  for (Index i = first_of_thread(); i < rows; i += all_threads()) element(i, j);
}

/// Queues element(i, j) for each row i and column j.
template <class Element>
void launch_elements(const Backend& backend, Index rows, int columns, Element element) {
  if (rows == 0 || columns == 0) return;
  const dim3 grid(grid_for(rows), static_cast<unsigned>(columns));
  for_each_element<<<grid, kElementThreads, 0, backend.device().stream()>>>(rows, element);
  check_launch("for_each_element");
}

}  // namespace cisolve::base::cuda
