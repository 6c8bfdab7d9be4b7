#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cisolve::io {

/// What stands, or would stand, where a name leads.
struct Destination {
  std::filesystem::path file;  // behind all links
  /// Whether bytes are passed on there: to a pipe, a terminal or another device, or to a file that
  /// standard output or standard error goes to. No other file can take its place.
  bool passes_on = false;
};

/// Throws Fault::cannot_write for what can neither be replaced nor be passed on to.
Destination destination_of(const std::filesystem::path& name);

/// The destination of a file of the program's own, which follows no link. Throws
/// Fault::cannot_write if anything but a plain file has the name, a link included.
Destination plain_destination(const std::filesystem::path& name);

/// "a link", "a pipe", ...: what has a name and is no plain file, not followed where it is a link;
/// none where nothing has it, or a plain file.
std::optional<std::string> foreign_kind(const std::filesystem::path& name);

/// Opens what passes bytes on; -1 and errno where it cannot be.
int open_to_pass_on(const std::filesystem::path& name);

}  // namespace cisolve::io
