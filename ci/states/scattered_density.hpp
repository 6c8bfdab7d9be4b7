#pragma once

#include <span>

#include "ci/states/moves.hpp"

namespace cisolve::ci {

/// What MixedDensity gives, where alpha strings have short lists of beta strings of their own, so
/// that few moves of both electrons end in the space: those of all beta strings beside an alpha
/// string are noted by their targets once, and the lists that the alpha string's moves lead to are
/// looked up among them.
class ScatteredDensity {
 public:
  explicit ScatteredDensity(const Space& space);  // which must outlive it

  /// Whether it takes less than one move after the other, in no more memory than is there.
  static bool suits(const Space& space);

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  Index first_of(Index part) const;

  const Space& space_;
  SingleExcitations alphas_;
  SingleExcitations betas_;
};

}  // namespace cisolve::ci
