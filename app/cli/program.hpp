#pragma once

namespace cisolve::app {

/// The whole program: understands, runs, reports, and returns the exit code.
int run_program(int argc, const char* const* argv);

}  // namespace cisolve::app
