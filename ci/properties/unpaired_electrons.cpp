#include "ci/properties/unpaired_electrons.hpp"

#include <algorithm>

namespace cisolve::ci {

// Rounding may leave an occupation outside of 0 to 2.
double unpaired_head_gordon(std::span<const double> occupations) {
  double sum = 0;
  for (const double n : occupations) sum += std::max(0.0, std::min(n, 2 - n));
  return sum;
}

double unpaired_takatsuka(std::span<const double> occupations) {
  double sum = 0;
  for (const double n : occupations) sum += std::max(0.0, n * (2 - n));
  return sum;
}

}  // namespace cisolve::ci
