#pragma once

#include <array>
#include <vector>

#include "sparse/diagonal/staged_pairs.hpp"

namespace cisolve::sparse {

/// Distributes the outputs of a block over warps. A stage takes as long as its slowest warp.
class WarpAssignment {
 public:
  /// works[output][stage]: number of multiply-adds.
  explicit WarpAssignment(const std::vector<std::vector<Index>>& works);

  int warp(Index output) const { return warps_[output]; }
  int slot(Index output) const { return slots_[output]; }

 private:
  void add(int output, const std::vector<Index>& works);

  Index stages_;
  std::vector<Index> sums_;  // [warp][stage]
  std::array<int, StagedPairs::kWarps> outputs_{};
  std::vector<int> warps_;
  std::vector<int> slots_;
};

}  // namespace cisolve::sparse
