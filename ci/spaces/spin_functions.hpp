#pragma once

#include <cstdint>
#include <vector>

#include "base/array.hpp"

namespace cisolve::ci {

using base::Index;

/// Orthonormal functions of total spin S over the ways to give singly occupied orbitals their
/// spins, by the recursion of Yamanouchi and Kotani: orbital after orbital couples to the spin of
/// those before it, and each path of intermediate spins gives one function.
class SpinFunctions {
 public:
  static constexpr int kMostOpen = 62;

  SpinFunctions(int open, int twice_ms, int twice_spin, const base::Backend& host);

  /// Bit k of a pattern: the k-th open orbital has an alpha electron. Ascending.
  const std::vector<std::uint64_t>& patterns() const { return patterns_; }
  Index functions() const { return functions_; }

  /// A coefficient for determinants whose creators stand orbital by orbital.
  double ordered(Index pattern, Index function) const {
    return values_[pattern * functions_ + function];
  }
  /// Minus one where |alpha string> x |beta string> differs from the order above by an odd
  /// permutation of the open shells. Doubly occupied orbitals change the sign of all patterns or of
  /// none.
  double sign(Index pattern) const { return signs_[pattern]; }

  static std::uint64_t lowest_pattern(int alphas) { return (std::uint64_t{1} << alphas) - 1; }
  /// The next larger number with as many bits.
  static std::uint64_t next_pattern(std::uint64_t pattern) {
    const std::uint64_t low = pattern & (~pattern + 1);
    const std::uint64_t carried = pattern + low;
    return carried | (((pattern ^ carried) / low) >> 2);
  }
  static Index count_patterns(int open, int alphas);

 private:
  std::vector<std::uint64_t> patterns_;
  std::vector<double> signs_;
  Index functions_ = 0;
  base::Array<double> values_;
};

}  // namespace cisolve::ci
