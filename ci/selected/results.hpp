#pragma once

#include <optional>
#include <string>

// Results of selected spaces as plain data: perturbation.hpp and extrapolation.hpp compute them.
// Energies in Hartree.
namespace cisolve::ci {

/// Second-order perturbation of one state (perturbation.hpp), in Hartree, Hartree^2 and units of
/// hbar^2.
struct StatePerturbation {
  double energy = 0;
  double variance = 0;
  double spin_squared = 0;
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
  std::optional<ExtrapolationFit> linear;     // set for two points or more
  std::optional<ExtrapolationFit> quadratic;  // set for three points or more
  /// Why energy and error are not to be trusted, for users; empty if nothing speaks against them.
  std::string distrust;

  bool is_trusted() const { return distrust.empty(); }
};

}  // namespace cisolve::ci
