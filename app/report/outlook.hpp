#pragma once

#include <string>

#include "solver/task/result.hpp"

namespace cisolve::app {

/// How far an unfinished solution has come: its largest residual half-way and in the end. Empty
/// where there are too few iterations to tell.
std::string outlook(const solver::Result& result, double tolerance);

/// Whether unfinished states wait for more iterations, not all of them for another tolerance.
bool wants_iterations(const solver::Result& result);

/// What to ask for where states are as exact as arithmetic allows; empty where none is above the
/// tolerance for that reason.
std::string advice_on_tolerance(const solver::Result& result);

}  // namespace cisolve::app
