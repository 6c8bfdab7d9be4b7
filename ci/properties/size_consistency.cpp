#include "ci/properties/size_consistency.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::ci {

std::optional<SizeCorrections> size_corrections(double energy, double reference_energy,
                                                double reference_weight, int electrons) {
  const double w = std::min(reference_weight, 1.0);  // rounding may make it larger
  if (!(w > 0.5) || electrons < 1) return std::nullopt;
  const double correlation = energy - reference_energy;
  // Pople's factor with x = cos 2t = 2 w - 1, without the 0 / 0 that it has at w = 1.
  const double n = electrons;
  const double x = 2 * w - 1;
  const double root = std::sqrt(n * n + 2 * n * (1 - x * x) / (x * x));
  return SizeCorrections{.davidson = (1 - w) * correlation,
                         .renormalised = (1 - w) / w * correlation,
                         .pople = (n * (1 + x) / (x * (root + n)) - 1) * correlation};
}

}  // namespace cisolve::ci
