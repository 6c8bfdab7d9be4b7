#pragma once

#include <string>
#include <string_view>

#include "app/json/json.hpp"
#include "app/sweeps/sweep_points.hpp"

namespace cisolve::app {

/// Results of a point and the record of its matrix as a text that begins with its own SHA-256
/// digest.
std::string stored_point(const SweepPoint& point, const Json& matrix);

/// Whether a text begins with its own digest.
bool is_whole_point(std::string_view text);

/// Restores a point from such a text and returns the record of the matrix. Throws
/// ErrorKind::bad_input if the text is damaged.
Json restore_point(std::string_view text, const std::string& origin, SweepPoint& point);

}  // namespace cisolve::app
