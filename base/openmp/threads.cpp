#include "base/openmp/threads.hpp"

#include <omp.h>

#include <algorithm>

namespace cisolve::base {

int processors() { return std::max(1, omp_get_num_procs()); }

int most_threads_beside(int processors) {
  constexpr int each = 16;
  constexpr int most = 4096;  // of the key `threads` too
  return std::clamp(std::min(processors, most) * each, 64, most);
}

int most_threads() { return most_threads_beside(processors()); }

}  // namespace cisolve::base
