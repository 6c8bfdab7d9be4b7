#pragma once

#include <string_view>
#include <vector>

#include "bench/products/kernel.hpp"

namespace cisolve::bench {

/// Every kernel of this build; those of the host once for each number of threads.
std::vector<Kernel> all_kernels(const std::vector<int>& threads);

/// Kernels whose name matches one of the patterns, in which * matches anything; "@4" at the end of
/// a pattern selects kernels of four threads.
std::vector<Kernel> chosen_kernels(const std::vector<Kernel>& all,
                                   const std::vector<std::string>& patterns);

/// "openmp/csr-static@4"; on a device the name only.
std::string full_name(const Kernel& kernel);

/// Kernels that need a device; none in a build without CUDA.
std::vector<Kernel> device_kernels();

}  // namespace cisolve::bench
