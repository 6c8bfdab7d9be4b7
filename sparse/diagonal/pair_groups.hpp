#pragma once

#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// Pairs of a few neighbouring outputs in one list by ascending steps, so that threads that compute
/// these outputs together read the same values of A and B at about the same time.
struct PairGroups {
  static constexpr int kBits = 4;  // bits for the output's number within its group
  static constexpr Index kMostOutputs = Index{1} << kBits;

  Index outputs = 0;           // outputs per group; the last group may have fewer
  std::vector<Index> offsets;  // first pair of each group, and the end
  /// `a` is shifted left by kBits; the low bits hold the output's number.
  std::vector<DiagonalPair> pairs;
  std::vector<Index> steps;

  static PairGroups of(const ProductPairs& all, Index outputs, const base::Backend& host);
};

}  // namespace cisolve::sparse
