#pragma once

namespace cisolve::app {

enum class Verbosity { quiet, normal, verbose };

/// Logs go to stderr, one line each, coloured on a terminal unless NO_COLOR is set.
void set_up_log(Verbosity verbosity);

}  // namespace cisolve::app
