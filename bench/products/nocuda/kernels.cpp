#include "bench/products/kernels.hpp"

namespace cisolve::bench {

std::vector<Kernel> device_kernels() { return {}; }

}  // namespace cisolve::bench
