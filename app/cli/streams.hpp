#pragma once

#include <string_view>

// The standard streams as a program finds them: closed, or a pipe whose reader has left.
namespace cisolve::app {

/// Whether a name is one of standard output, such as -.
bool is_standard_output(std::string_view name);

/// Gives a closed standard stream a place to go, so that no file of ours takes its number, and lets
/// writing to a pipe without a reader fail instead of ending the program.
void prepare_streams();

/// Writes out what stdout still holds. A reader that left early wanted no more, and that is no
/// error; throws Fault::cannot_write for any other failure, such as a full disk.
void finish_output();

}  // namespace cisolve::app
