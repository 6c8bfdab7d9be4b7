#pragma once

#include <string>

#include "solver/task/result.hpp"

namespace cisolve::app {

/// What an unfinished solution would take: at what rate residuals were seen to fall in its second
/// half, and how many iterations more that makes.
std::string outlook(const solver::Result& result, double tolerance);

/// Whether unfinished states wait for more iterations, not all of them for another tolerance.
bool wants_iterations(const solver::Result& result);

/// What to ask for where states are as exact as arithmetic allows; empty where none is above the
/// tolerance for that reason.
std::string advice_on_tolerance(const solver::Result& result);

}  // namespace cisolve::app
