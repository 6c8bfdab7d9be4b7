#pragma once

#include <string>

#include "app/json/json.hpp"

namespace cisolve::app {

/// Stores a warning for the record of the job, whether or not it is shown. Thread-safe.
void keep_warning(std::string text);

/// All stored warnings in their order.
Json warnings_record();

}  // namespace cisolve::app
