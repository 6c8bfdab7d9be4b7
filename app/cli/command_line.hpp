#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/invocation.hpp"

namespace cisolve::app {

/// Understands a command line (without the program's name). Nothing is returned when it only asked
/// for help or the version, which have then been written to `out`. Throws Fault::usage, with the
/// nearest valid word, for what makes no sense.
std::optional<Invocation> parse_command_line(std::vector<std::string> arguments, std::ostream& out);

}  // namespace cisolve::app
