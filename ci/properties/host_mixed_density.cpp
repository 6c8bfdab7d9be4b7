#include "ci/properties/host_mixed_density.hpp"

namespace cisolve::ci {
namespace {

std::variant<MixedDensity, DensityBatches, ScatteredDensity> fitting(const Space& space) {
  if (DensityBatches::suit(space)) return DensityBatches(space);
  if (ScatteredDensity::suits(space)) return ScatteredDensity(space);
  return MixedDensity(space);
}

}  // namespace

HostMixedDensity::HostMixedDensity(const Space& space) : of_(fitting(space)) {}

void HostMixedDensity::add(const double* bra, const double* ket, std::span<double> mixed) const {
  std::visit([&](const auto& density) { density.add(bra, ket, mixed); }, of_);
}

}  // namespace cisolve::ci
