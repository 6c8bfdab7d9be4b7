#include "base/openmp/threads.hpp"

#include <omp.h>

#include <algorithm>

#include "base/text.hpp"

namespace cisolve::base {
namespace {

int processors() { return std::max(1, omp_get_num_procs()); }

}  // namespace

int most_threads_beside(int processors) {
  constexpr int each = 16;
  constexpr int most = 4096;  // of the key `threads` too
  return std::clamp(std::min(processors, most) * each, 64, most);
}

int most_threads() { return most_threads_beside(processors()); }

std::string most_threads_told() {
  return concat("at most ", most_threads(), " on this machine of ", processors(),
                processors() == 1 ? " processor" : " processors");
}

}  // namespace cisolve::base
