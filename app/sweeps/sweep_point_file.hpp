#pragma once

#include <string>
#include <string_view>

#include "app/json/json.hpp"
#include "app/sweeps/sweep_points.hpp"

namespace cisolve::app {

/// What was found at a point, and the record of the matrix that it shares with others, as a text
/// that begins with its own digest.
std::string stored_point(const SweepPoint& point, const Json& matrix);

/// Whether a text begins with its own digest.
bool is_whole_point(std::string_view text);

/// Puts it into a point that is at its beginning, and gives the record of the matrix. Throws
/// Fault::bad_input where the text is not what was stored.
Json restore_point(std::string_view text, const std::string& origin, SweepPoint& point);

}  // namespace cisolve::app
