#pragma once

#include <string>

#include "solver/task/result.hpp"

namespace cisolve::app {

/// Largest residual of an unfinished solution half-way and at its end; empty if there are too few
/// iterations.
std::string residual_trend(const solver::Result& result, double tolerance);

/// Whether unfinished states wait for more iterations, not all of them for another tolerance.
bool wants_iterations(const solver::Result& result);

/// Advice for states that have reached the limit of double precision above the tolerance; empty if
/// there are none.
std::string advice_on_tolerance(const solver::Result& result);

}  // namespace cisolve::app
