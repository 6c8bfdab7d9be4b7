#pragma once

#include <span>
#include <variant>

#include "ci/properties/density_batches.hpp"
#include "ci/properties/mixed_density.hpp"
#include "ci/properties/scattered_density.hpp"

namespace cisolve::ci {

/// The alpha-beta density on the host by the method that suits the space: DensityBatches,
/// ScatteredDensity, or else MixedDensity.
class HostMixedDensity {
 public:
  explicit HostMixedDensity(const Space& space);  // the space must outlive it

  void add(const double* bra, const double* ket, std::span<double> mixed) const;

 private:
  std::variant<MixedDensity, DensityBatches, ScatteredDensity> of_;
};

}  // namespace cisolve::ci
