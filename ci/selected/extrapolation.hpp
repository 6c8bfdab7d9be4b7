#pragma once

#include <span>

#include "ci/selected/results.hpp"

// The energy of a full space from those of selected ones: E_var as a function of the second-order
// perturbation E2, continued to E2 = 0 (A. A. Holmes, C. J. Umrigar and S. Sharma, J. Chem. Phys.
// 147, 164111 (2017)). Energies in Hartree.
namespace cisolve::ci {

/// One selected space and one of its states.
struct ExtrapolationPoint {
  double variational = 0;   // E_var
  double perturbation = 0;  // E2, negative
};

/// Points in any order. A point with E2 = 0 is a full space: its energy is returned as it is.
/// Throws ErrorKind::bad_input without points or for numbers that are not finite. It is not trusted
/// if
///   - there are fewer than 3 points, or a perturbation is positive;
///   - |E2| does not fall by a factor of 2 from the first point to the last;
///   - the slope is not within -2 to -0.5: near E2 = 0 perturbation theory has -1;
///   - the energy lies above the lowest E_var, or the error exceeds half of the smallest |E2|.
Extrapolation extrapolate(std::span<const ExtrapolationPoint> points);

}  // namespace cisolve::ci
