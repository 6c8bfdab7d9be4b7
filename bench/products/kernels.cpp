#include "bench/products/kernels.hpp"

#include <algorithm>

namespace cisolve::bench {

// One entry for each family of kernels; those of the device are listed in cuda/kernels.cpp.
#define CISOLVE_HOST_FAMILIES(add) \
  add(openmp_format_kernels) add(openmp_row_kernels) add(eigen_kernels) add(mkl_kernels)

#define CISOLVE_DECLARE_FAMILY(family) std::vector<Kernel> family(int threads);
CISOLVE_HOST_FAMILIES(CISOLVE_DECLARE_FAMILY)

namespace {

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t from = star; from <= name.size(); ++from)
    if (matches(name.substr(from), rest)) return true;
  return false;
}

}  // namespace

std::string full_name(const Kernel& kernel) {
  return kernel.threads == 0 ? kernel.name : base::concat(kernel.name, "@", kernel.threads);
}

std::vector<Kernel> all_kernels(const std::vector<int>& threads) {
  std::vector<Kernel> all = device_kernels();
#define CISOLVE_ADD_FAMILY(family) \
  for (const int count : threads) std::ranges::move(family(count), std::back_inserter(all));
  CISOLVE_HOST_FAMILIES(CISOLVE_ADD_FAMILY)
  return all;
}

std::vector<Kernel> chosen_kernels(const std::vector<Kernel>& all,
                                   const std::vector<std::string>& patterns) {
  std::vector<Kernel> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [&](const Kernel& kernel) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return matches(kernel.name, pattern) || matches(full_name(kernel), pattern);
    });
  });
  return chosen;
}

}  // namespace cisolve::bench
