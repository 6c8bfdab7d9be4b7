#pragma once

#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// Pairs of a few neighbouring outputs as one list by ascending steps: whoever computes them
/// together meets the same values of A and B at about the same time.
struct PairGroups {
  static constexpr int kBits = 4;  // of the number of an output within its group
  static constexpr Index kMostOutputs = Index{1} << kBits;

  Index outputs = 0;           // of a group; the last one may have fewer
  std::vector<Index> offsets;  // of the pairs of each group, and their end
  /// a is shifted by kBits, below which is the number of the output.
  std::vector<DiagonalPair> pairs;
  std::vector<Index> steps;

  static PairGroups of(const ProductPairs& all, Index outputs, const base::Backend& host);
};

}  // namespace cisolve::sparse
