#pragma once

namespace cisolve::app {

/// Runs the program: parses the command line, executes the command, reports, and returns the exit
/// code.
int run_program(int argc, const char* const* argv);

}  // namespace cisolve::app
