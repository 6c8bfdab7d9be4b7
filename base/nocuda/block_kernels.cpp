#include "base/block_kernels.hpp"

#include "base/error.hpp"

namespace cisolve::base::cuda {

const BlockKernels& block_kernels() { throw BackendNotBuilt("cuda"); }

}  // namespace cisolve::base::cuda
