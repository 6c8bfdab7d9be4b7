#pragma once

#include <filesystem>
#include <string_view>

namespace cisolve::io {

/// First control character (a byte below 0x20, or 0x7f), or -1. Paths must not contain any: a
/// newline would start a new line in scripts and logs that quote the path.
int control_character_in(std::string_view text);

/// Throws ErrorKind::configuration if a path contains a control character, directly, through the
/// working directory or through a link. `name` is its origin for the message, such as "--json".
void require_plain_path(const std::filesystem::path& path, std::string_view name);

}  // namespace cisolve::io
