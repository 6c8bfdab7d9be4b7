#pragma once

#include <optional>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// The states of a record by energy and spin; nothing if there is only one.
std::optional<Figure> spectrum_figure(const Json& record);

}  // namespace cisolve::app
