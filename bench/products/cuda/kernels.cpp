#include "bench/products/kernels.hpp"

#include <algorithm>

namespace cisolve::bench {

// One entry for each family of kernels; those of the host are listed in ../kernels.cpp.
#define CISOLVE_DEVICE_FAMILIES(add)                                                      \
  add(device_format_kernels) add(csr_row_kernels) add(paper_kernels) add(ell_coo_kernels) \
      add(lightspmv_kernels) add(csr5_kernels) add(merge_path_kernels)                    \
          add(cusparse_vector_kernels) add(cusparse_block_kernels)

#define CISOLVE_DECLARE_FAMILY(family) std::vector<Kernel> family();
CISOLVE_DEVICE_FAMILIES(CISOLVE_DECLARE_FAMILY)

std::vector<Kernel> device_kernels() {
  std::vector<Kernel> all;
#define CISOLVE_ADD_FAMILY(family) std::ranges::move(family(), std::back_inserter(all));
  CISOLVE_DEVICE_FAMILIES(CISOLVE_ADD_FAMILY)
  return all;
}

}  // namespace cisolve::bench
