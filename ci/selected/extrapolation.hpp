#pragma once

#include <optional>
#include <span>
#include <string>

// The energy of a full space from those of selected ones: E_var as a function of the second-order
// perturbation E2, continued to E2 = 0 (A. A. Holmes, C. J. Umrigar and S. Sharma, J. Chem. Phys.
// 147, 164111 (2017)). Energies in Hartree.
namespace cisolve::ci {

/// One selected space and one of its states.
struct ExtrapolationPoint {
  double variational = 0;   // E_var
  double perturbation = 0;  // E2, negative
};

/// E_var = energy + slope x E2 [+ curvature x E2^2], by least squares with weights 1 / E2^2.
struct ExtrapolationFit {
  double energy = 0;
  double slope = 0;
  double curvature = 0;
  double error = 0;  // standard error of the energy by the residuals; 0 if there are none to spare
};

struct Extrapolation {
  /// The quadratic fit from 4 points on, else the linear one; E_var + E2 of a single point.
  double energy = 0;
  /// An estimate, not a bound: the largest of the difference between the two fits, what leaving
  /// out the point of the largest |E2| changes, and the standard error. With fewer than 3 points
  /// what the last point's E_var + E2 differs from the energy, with one |E2|.
  double error = 0;
  std::optional<ExtrapolationFit> linear;     // from 2 points on
  std::optional<ExtrapolationFit> quadratic;  // from 3 points on
  /// Why energy and error are not to be trusted, for users; empty if nothing speaks against them.
  std::string distrust;

  bool is_trusted() const { return distrust.empty(); }
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
