#pragma once

#include <string>

#include "app/json/json.hpp"

namespace cisolve::app {

/// Keeps a warning for the record of the job, whatever of it is shown. Any thread may call it.
void keep_warning(std::string text);

/// All that were kept so far, in their order.
Json warnings_record();

}  // namespace cisolve::app
