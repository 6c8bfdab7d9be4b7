#pragma once

#include <string>

#include "solver/task/result.hpp"

namespace cisolve::app {

/// What an unfinished solution would take: at what rate residuals were seen to fall in its second
/// half, and how many iterations more that makes.
std::string outlook(const solver::Result& result, double tolerance);

}  // namespace cisolve::app
