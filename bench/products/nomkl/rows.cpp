#include "bench/products/kernel.hpp"

namespace cisolve::bench {

std::vector<Kernel> mkl_kernels(int /*threads*/) { return {}; }

}  // namespace cisolve::bench
