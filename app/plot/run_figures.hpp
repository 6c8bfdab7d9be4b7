#pragma once

#include <vector>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// The figures for which the record of a job has data: convergence, spectrum, weights of
/// determinants, correlations of sites, memory by format.
std::vector<Figure> run_figures(const Json& record);

}  // namespace cisolve::app
