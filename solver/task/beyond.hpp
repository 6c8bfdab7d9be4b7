#pragma once

#include <span>

namespace cisolve::solver {

/// What is known of the states above those that were asked for which share the energy of the
/// highest: where there are any, a multiplet was cut.
struct Beyond {
  int states = 0;        // as many as were seen
  bool counted = false;  // and there are no more of them
  double width = 0;      // energies that differ by no more are one
};

/// Energies that differ by no more are taken for one: what the tolerance leaves of them, and what
/// arithmetic does.
double width_of_an_energy(double tolerance, double rounding);

/// How many of ascending values behind the first `states` lie within a width of the last of these.
int count_beyond(std::span<const double> values, int states, double width);

}  // namespace cisolve::solver
