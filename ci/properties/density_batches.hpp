#pragma once

#include <span>

#include "ci/fock/spaces/alpha_batches.hpp"
#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

/// The density of MixedDensity for spaces in which many alpha strings share a list of beta strings:
/// by dense matrix products, eight alpha strings at once.
class DensityBatches {
 public:
  explicit DensityBatches(const Space& space);  // the space must outlive it

  /// Whether it is faster than MixedDensity and fits into memory.
  static bool suit(const Space& space);

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  const Space& space_;
  SingleExcitations alphas_;
  SingleExcitations betas_;
  AlphaBatches batches_;
};

}  // namespace cisolve::ci
