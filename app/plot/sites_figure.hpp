#pragma once

#include <optional>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// How the spins of a lattice are correlated with that of site 1 in each state of a job's record;
/// nothing where the record does not tell it.
std::optional<Figure> sites_figure(const Json& record);

}  // namespace cisolve::app
