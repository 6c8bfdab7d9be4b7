#pragma once

#include <optional>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// Spin correlations <S_1 S_i> with site 1 in each state; nothing if the record has none.
std::optional<Figure> sites_figure(const Json& record);

}  // namespace cisolve::app
