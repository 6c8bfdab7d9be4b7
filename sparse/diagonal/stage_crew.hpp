#pragma once

#include <array>
#include <vector>

#include "sparse/diagonal/staged_pairs.hpp"

namespace cisolve::sparse {

/// Which warp has which outputs of a block: a stage takes as long as its slowest warp.
class StageCrew {
 public:
  /// `works` of each output in each stage.
  explicit StageCrew(const std::vector<std::vector<Index>>& works);

  int warp(Index output) const { return warps_[output]; }
  int slot(Index output) const { return slots_[output]; }

 private:
  void add(int output, const std::vector<Index>& works);

  Index stages_;
  std::vector<Index> sums_;  // works of each warp in each stage
  std::array<int, StagedPairs::kWarps> outputs_{};
  std::vector<int> warps_;
  std::vector<int> slots_;
};

}  // namespace cisolve::sparse
