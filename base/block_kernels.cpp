#include "base/block_kernels.hpp"

#include "base/error.hpp"

namespace cisolve::base {

const BlockKernels& block_kernels(const Backend& backend) {
  switch (backend.kind()) {
    case BackendKind::reference: return reference::block_kernels();
    case BackendKind::openmp: return openmp::block_kernels();
    case BackendKind::cuda: return cuda::block_kernels();
  }
  fail(ErrorKind::internal, "a backend without operations on vectors");
}

void require_same_shape(ConstBlock x, ConstBlock y) {
  if (x.rows != y.rows || x.columns != y.columns)
    fail(ErrorKind::internal, "blocks of ", x.rows, " x ", x.columns, " and ", y.rows, " x ",
         y.columns, " do not fit");
}

}  // namespace cisolve::base
