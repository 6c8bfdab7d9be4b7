#pragma once

#include <span>

namespace cisolve::solver {

/// Width within which energies count as degenerate: a multiple of the tolerance or of the rounding
/// error, whichever is larger.
double degeneracy_width(double tolerance, double rounding);

/// Number of ascending values after the first `states` within a width of the last of these.
int count_beyond(std::span<const double> values, int states, double width);

}  // namespace cisolve::solver
