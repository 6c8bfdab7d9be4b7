#pragma once

#include "app/commands/invocation.hpp"

namespace cisolve::app {

/// Logs go to stderr, one line each, coloured on a terminal unless NO_COLOR is set.
void set_up_log(Verbosity verbosity);

}  // namespace cisolve::app
