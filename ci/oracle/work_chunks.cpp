#include "ci/oracle/work_chunks.hpp"

#include <numeric>

namespace cisolve::ci {

std::vector<base::Index> work_chunks(std::span<const double> work, base::Index parts) {
  const double most = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(parts);
  std::vector<base::Index> begins{0};
  double sum = 0;
  for (base::Index i = 0; i < std::ssize(work); ++i) {
    if (i > begins.back() && sum + work[i] > most) {
      begins.push_back(i);
      sum = 0;
    }
    sum += work[i];
  }
  if (!work.empty()) begins.push_back(std::ssize(work));
  return begins;
}

}  // namespace cisolve::ci
