#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/invocation.hpp"

namespace cisolve::app {

/// Parses a command line (without the program's name). Returns nothing if it only asked for help or
/// the version, which are then written to `out`. Throws ErrorKind::usage with the nearest valid
/// word.
std::optional<Invocation> parse_command_line(std::vector<std::string> arguments, std::ostream& out);

}  // namespace cisolve::app
