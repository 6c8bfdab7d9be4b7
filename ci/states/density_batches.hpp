#pragma once

#include <span>

#include "ci/spaces/alpha_batches.hpp"
#include "ci/states/moves.hpp"

namespace cisolve::ci {

/// What MixedDensity gives, where many alpha strings share a list of beta strings: as products of
/// dense matrices, of eight alpha strings at once.
class DensityBatches {
 public:
  explicit DensityBatches(const Space& space);  // which must outlive it

  /// Whether it takes less than one move after the other, in no more memory than is there.
  static bool suit(const Space& space);

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  const Space& space_;
  SingleExcitations alphas_;
  SingleExcitations betas_;
  AlphaBatches batches_;
};

}  // namespace cisolve::ci
