#pragma once

#include <cstdint>
#include <vector>

#include "base/array.hpp"

namespace cisolve::ci {

using base::Index;

/// Orthonormal spin eigenfunctions of `open` electrons, by the genealogical construction
/// (Yamanouchi-Kotani): electrons couple one after the other, and each path of intermediate spins
/// gives one function.
class SpinFunctions {
 public:
  static constexpr int kMostOpen = 62;

  SpinFunctions(int open, int twice_ms, int twice_spin, const base::Backend& host);

  /// Spin patterns, ascending: bit k is set if the k-th open orbital has an alpha electron.
  const std::vector<std::uint64_t>& patterns() const { return patterns_; }
  Index functions() const { return functions_; }

  /// The coefficient for determinants whose creation operators are ordered by orbital.
  double ordered(Index pattern, Index function) const {
    return values_[pattern * functions_ + function];
  }
  /// -1 if |alpha string> x |beta string> is an odd permutation of that order, by the open shells
  /// alone: doubly occupied orbitals change the sign of all patterns alike.
  double sign(Index pattern) const { return signs_[pattern]; }

  static std::uint64_t lowest_pattern(int alphas) { return (std::uint64_t{1} << alphas) - 1; }
  /// The next larger number with as many set bits (Gosper's hack).
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
