#pragma once

#include <cuda_runtime.h>

#include "base/types.hpp"

namespace cisolve::base::cuda {

/// A dense matrix on the device, column by column.
struct DenseView {
  const double* data = nullptr;
  Index stride = 0;
};

/// A cuBLAS handle bound to one stream. The library is loaded when the first handle is made, not
/// with the program: loading it takes 200 MB and a quarter of a second, which most commands and
/// every run without a GPU can do without.
class BlasHandle {
 public:
  explicit BlasHandle(cudaStream_t stream);
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;
  ~BlasHandle();

  /// C = alpha op(A) B + beta C with op(A) of m x k, where op is the transpose or nothing.
  void gemm(bool transpose_a, Index m, Index n, Index k, double alpha, DenseView a, DenseView b,
            double beta, double* c, Index c_stride) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace cisolve::base::cuda
