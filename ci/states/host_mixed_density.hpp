#pragma once

#include <span>
#include <variant>

#include "ci/states/density_batches.hpp"
#include "ci/states/mixed_density.hpp"
#include "ci/states/scattered_density.hpp"

namespace cisolve::ci {

/// The mixed density on the host as it suits a space: alpha strings in batches, moves that are
/// noted, or else one move after the other.
class HostMixedDensity {
 public:
  explicit HostMixedDensity(const Space& space);  // which must outlive it

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  std::variant<MixedDensity, DensityBatches, ScatteredDensity> of_;
};

}  // namespace cisolve::ci
