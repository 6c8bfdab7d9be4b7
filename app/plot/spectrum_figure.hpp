#pragma once

#include <optional>

#include "app/plot/script.hpp"
#include "app/report/json_value.hpp"

namespace cisolve::app {

/// The states of a job's record by energy and spin; nothing where there is only one.
std::optional<Figure> spectrum_figure(const JsonValue& record);

}  // namespace cisolve::app
