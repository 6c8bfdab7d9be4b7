#pragma once

#include <span>
#include <vector>

#include "base/ranks/layout.hpp"

namespace cisolve::ci {

/// Distribution of alpha strings, each with all its rows, over ranks: kRunsOfRank contiguous runs
/// per rank, balanced in rows and in work even if the work of a string grows with its number. A
/// rank may have none.
class StringPartition {
 public:
  static constexpr int kRunsOfRank = 4;

  /// `first_row`: first row of each string and the end; `work`: cost per string, any unit.
  StringPartition(std::span<const base::Index> first_row, std::span<const double> work, int ranks);

  const base::Layout& layout() const { return layout_; }
  int rank_of(base::Index string) const { return ranks_[string]; }
  /// The string's first row, counted within its rank.
  base::Index place_of(base::Index string) const { return places_[string]; }
  double work_of(base::Index string) const { return work_[string]; }

 private:
  std::vector<int> ranks_;
  std::vector<base::Index> places_;
  std::vector<double> work_;
  base::Layout layout_;
};

}  // namespace cisolve::ci
