#include "base/ranks/work_distribution.hpp"

#include <algorithm>
#include <vector>

namespace cisolve::base {

// An item goes to the rank whose even fraction of the work contains its midpoint.
Layout distribute_work(std::span<const double> work, std::span<const Index> rows, int ranks) {
  double all = 0;
  for (const double one : work) all += one;
  std::vector<Index> rows_by_rank(ranks);
  double before = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const double middle = all > 0 ? (before + work[i] / 2) / all : 0;
    rows_by_rank[std::min(static_cast<int>(middle * ranks), ranks - 1)] += rows[i];
    before += work[i];
  }
  return Layout::of_counts(rows_by_rank);
}

}  // namespace cisolve::base
