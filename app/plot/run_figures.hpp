#pragma once

#include <vector>

#include "app/plot/script.hpp"
#include "app/report/json_value.hpp"

namespace cisolve::app {

/// The pictures that the record of a job has the numbers for: convergence, spectrum, weights of
/// determinants, memory by format.
std::vector<Figure> run_figures(const JsonValue& record);

}  // namespace cisolve::app
