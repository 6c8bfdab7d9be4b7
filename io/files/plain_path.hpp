#pragma once

#include <filesystem>
#include <string_view>

namespace cisolve::io {

/// The first control character of a text (a byte below 0x20, or 0x7f), or -1. A path may hold none:
/// a line end in it would begin a line of its own wherever the path is written, in a script or a
/// log.
int control_character_in(std::string_view text);

/// Throws Fault::configuration for a path that holds a control character, by itself, by the working
/// directory that it is seen from or by a link on its way. `name` says whose it is: "--json".
void require_plain_path(const std::filesystem::path& path, std::string_view name);

}  // namespace cisolve::io
