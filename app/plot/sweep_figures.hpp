#pragma once

#include <vector>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// The pictures of a sweep: times, rates, memory and energies. Against an axis of numbers they are
/// curves with the spread of each point; where all axes are names, groups of bars.
std::vector<Figure> sweep_figures(const Json& record);

}  // namespace cisolve::app
