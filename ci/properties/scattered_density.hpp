#pragma once

#include <span>

#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

/// The density of MixedDensity for alpha strings that each have a short list, so that few
/// opposite-spin doubles stay in the space: the excitations of an alpha string's beta strings are
/// marked by target once, and the lists of its alpha excitations are looked up among the marks.
class ScatteredDensity {
 public:
  explicit ScatteredDensity(const Space& space);  // the space must outlive it

  /// Whether it is faster than MixedDensity and fits into memory.
  static bool suits(const Space& space);

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  Index first_of(Index part) const;

  const Space& space_;
  SingleExcitations alphas_;
  SingleExcitations betas_;
};

}  // namespace cisolve::ci
