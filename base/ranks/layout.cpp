#include "base/ranks/layout.hpp"

#include <algorithm>

namespace cisolve::base {

Layout Layout::of_counts(std::span<const Index> counts) {
  Layout layout;
  layout.starts_.pop_back();
  for (const Index count : counts) layout.starts_.push_back(layout.rows() + count);
  return layout;
}

Layout Layout::even(Index rows, int ranks) {
  std::vector<Index> counts(ranks);
  for (int r = 0; r < ranks; ++r) counts[r] = rows / ranks + (r < rows % ranks ? 1 : 0);
  return of_counts(counts);
}

Layout Layout::gathered(const Communicator& ranks, Index mine) {
  std::vector<double> counts(ranks.size());
  counts[ranks.rank()] = static_cast<double>(mine);
  ranks.sum(counts);
  return of_counts(std::vector<Index>(counts.begin(), counts.end()));
}

}  // namespace cisolve::base
