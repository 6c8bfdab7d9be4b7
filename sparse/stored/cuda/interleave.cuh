#pragma once

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/cuda/context.hpp"

// Interleaving of vectors: the values of all vectors that a matrix element needs are in one or two
// memory sectors instead of one sector each.
namespace cisolve::sparse::cuda {

template <int Width>
__global__ void interleave_kernel(base::ConstBlock x, double* target) {
  const base::Index step = base::Index{blockDim.x} * gridDim.x;
  for (base::Index i = base::Index{blockIdx.x} * blockDim.x + threadIdx.x; i < x.rows; i += step)
    for (int j = 0; j < Width; ++j) target[i * Width + j] = x(i, j);
}

/// Vectors as a kernel reads them, and scratch memory for further values.
struct Interleaved {
  const double* x;
  double* scratch;
};

/// Returns x itself for one vector, else a copy in the backend's scratch memory with x(i, j) at i *
/// Width + j; and scratch memory for `scratch` further values.
template <int Width>
Interleaved interleaved(const base::Backend& backend, base::ConstBlock x, base::Index scratch = 0) {
  constexpr int kThreads = 256;
  const base::Index copied = Width == 1 ? 0 : x.rows * Width;
  if (copied + scratch == 0) return {x.data, nullptr};
  auto* target =
      static_cast<double*>(backend.scratch((copied + scratch) * base::Index{sizeof(double)}));
  if (copied == 0) return {x.data, target};
  const auto blocks = static_cast<unsigned>(
      std::clamp<base::Index>((x.rows + kThreads - 1) / kThreads, 1, 1 << 20));
  interleave_kernel<Width><<<blocks, kThreads, 0, backend.device().stream()>>>(x, target);
  base::cuda::check_launch("interleave_kernel");
  return {target, target + copied};
}

/// sums[j] += value * x(column, j), with 16-byte loads of interleaved vectors.
template <int Width>
__device__ __forceinline__ void multiply_add(double (&sums)[Width], double value, const double* x,
                                             base::Index column) {
  if constexpr (Width == 1) {
    sums[0] += value * __ldg(x + column);
  } else {
    const auto* pair = reinterpret_cast<const double2*>(x + column * Width);
#pragma unroll
    for (int j = 0; j < Width / 2; ++j) {
      const double2 both = __ldg(pair + j);
      sums[2 * j] += value * both.x;
      sums[2 * j + 1] += value * both.y;
    }
  }
}

/// Loads from vectors that are not interleaved: one load per vector.
template <int Width>
__device__ __forceinline__ void multiply_add(double (&sums)[Width], double value,
                                             const base::ConstBlock& x, base::Index column) {
#pragma unroll
  for (int j = 0; j < Width; ++j) sums[j] += value * __ldg(&x(column, j));
}

/// Explicit rounding, identical in every kernel whatever the compiler contracts.
__device__ __forceinline__ void write_result(double alpha, double sum, double beta, double& y) {
  const double product = __dmul_rn(alpha, sum);
  y = beta == 0 ? product : __fma_rn(beta, y, product);
}

}  // namespace cisolve::sparse::cuda
