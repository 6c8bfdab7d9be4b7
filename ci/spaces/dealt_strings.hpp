#pragma once

#include <span>
#include <vector>

#include "base/ranks/layout.hpp"

namespace cisolve::ci {

/// Alpha strings as they are dealt out among ranks, each with all its rows: some runs of neighbours
/// for each rank, so that all have about as many rows, and as much work even where that of a string
/// grows with its number. Ranks that are more than strings may have none.
class DealtStrings {
 public:
  static constexpr int kRunsOfRank = 4;

  /// `first_row` is that of each string, and the end.
  DealtStrings(std::span<const base::Index> first_row, std::span<const double> work, int ranks);

  const base::Layout& layout() const { return layout_; }
  int rank_of(base::Index string) const { return ranks_[string]; }
  /// Its first row among those of its rank.
  base::Index place_of(base::Index string) const { return places_[string]; }
  double work_of(base::Index string) const { return work_[string]; }

 private:
  std::vector<int> ranks_;
  std::vector<base::Index> places_;
  std::vector<double> work_;
  base::Layout layout_;
};

}  // namespace cisolve::ci
