#pragma once

#include <algorithm>

#include "base/backend.hpp"
#include "base/cuda/context.hpp"

// One grid-stride kernel for every elementwise operation on a block of vectors.
namespace cisolve::base::cuda {

inline constexpr int kElementThreads = 256;

template <class Element>
__global__ void for_each_element(Index rows, Element element) {
  const int j = static_cast<int>(blockIdx.y);
  const Index step = Index{blockDim.x} * gridDim.x;
  for (Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x; i < rows; i += step) element(i, j);
}

/// Queues element(i, j) for each row i and column j.
template <class Element>
void launch_elements(const Backend& backend, Index rows, int columns, Element element) {
  if (rows == 0 || columns == 0) return;
  const Index blocks =
      std::clamp<Index>((rows + kElementThreads - 1) / kElementThreads, 1, 1 << 16);
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(columns));
  for_each_element<<<grid, kElementThreads, 0, backend.device().stream()>>>(rows, element);
  check_launch("for_each_element");
}

}  // namespace cisolve::base::cuda
