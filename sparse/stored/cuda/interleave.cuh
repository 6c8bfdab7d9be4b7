#pragma once

#include "base/backend.hpp"
#include "base/block.hpp"
#include "base/cuda/context.hpp"

// Several vectors side by side: the values that one matrix element needs of all of them lie in one
// or two sectors of memory instead of one sector each.
namespace cisolve::sparse::cuda {

template <int Width>
__global__ void interleave_kernel(base::ConstBlock x, double* target) {
  const base::Index step = base::Index{blockDim.x} * gridDim.x;
  for (base::Index i = base::Index{blockIdx.x} * blockDim.x + threadIdx.x; i < x.rows; i += step)
    for (int j = 0; j < Width; ++j) target[i * Width + j] = x(i, j);
}

/// Vectors as a kernel reads them, and room for further values.
struct Interleaved {
  const double* x;
  double* room;
};

/// x as it is for one vector; else a copy in the backend's scratch with x(i, j) at i * Width + j,
/// which is where the room for so many values is, too.
template <int Width>
Interleaved interleaved(const base::Backend& backend, base::ConstBlock x, base::Index room = 0) {
  constexpr int kThreads = 256;
  const base::Index copied = Width == 1 ? 0 : x.rows * Width;
  if (copied + room == 0) return {x.data, nullptr};
  auto* target =
      static_cast<double*>(backend.scratch((copied + room) * base::Index{sizeof(double)}));
  if (copied == 0) return {x.data, target};
  const auto blocks = static_cast<unsigned>(
      std::clamp<base::Index>((x.rows + kThreads - 1) / kThreads, 1, 1 << 20));
  interleave_kernel<Width><<<blocks, kThreads, 0, backend.device().stream()>>>(x, target);
  base::cuda::check_launch("interleave_kernel");
  return {target, target + copied};
}

/// sums[j] += value * x(column, j), with 16-byte loads where several vectors lie side by side.
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

/// The same of vectors as they came: another look at memory for each.
template <int Width>
__device__ __forceinline__ void multiply_add(double (&sums)[Width], double value,
                                             const base::ConstBlock& x, base::Index column) {
#pragma unroll
  for (int j = 0; j < Width; ++j) sums[j] += value * __ldg(&x(column, j));
}

/// Rounded the same way in every kernel, which a compiler would choose anew for each.
__device__ __forceinline__ void write_result(double alpha, double sum, double beta, double& y) {
  const double product = __dmul_rn(alpha, sum);
  y = beta == 0 ? product : __fma_rn(beta, y, product);
}

}  // namespace cisolve::sparse::cuda
