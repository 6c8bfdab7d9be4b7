#pragma once

#include <cuda_runtime.h>

#include "base/types.hpp"

namespace cisolve::base::cuda {

/// Dense column-major matrix on the device.
struct DenseView {
  const double* data = nullptr;
  Index stride = 0;
};

/// cuBLAS handle bound to one stream. The library is loaded with the first handle, not with the
/// program: loading takes 200 MB and a quarter of a second, which most commands and runs without a
/// GPU do not need.
class BlasHandle {
 public:
  explicit BlasHandle(cudaStream_t stream);
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;
  ~BlasHandle();

  /// C = alpha op(A) B + beta C, op(A) of m x k being A or its transpose.
  void gemm(bool transpose_a, Index m, Index n, Index k, double alpha, DenseView a, DenseView b,
            double beta, double* c, Index c_stride) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace cisolve::base::cuda
