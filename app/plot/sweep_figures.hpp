#pragma once

#include <vector>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// The figures of a sweep: times, rates, memory and energies; curves with error bars along a
/// numeric axis, grouped bars if no axis is numeric.
std::vector<Figure> sweep_figures(const Json& record);

}  // namespace cisolve::app
