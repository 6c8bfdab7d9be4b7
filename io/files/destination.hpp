#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cisolve::io {

/// The file or stream that a name leads to, whether or not it exists.
struct Destination {
  std::filesystem::path file;  // path after resolving all links
  /// True for a pipe, a terminal or another device, and for a file that is this process's standard
  /// output or standard error. Such a destination is written through, never replaced.
  bool is_stream = false;
};

/// Throws ErrorKind::cannot_write if the name can neither be replaced nor written through.
Destination destination_of(const std::filesystem::path& name);

/// Destination of a file of the program's own, which follows no link. Throws
/// ErrorKind::cannot_write if the name belongs to anything but a plain file, a link included.
Destination plain_destination(const std::filesystem::path& name);

/// "a link", "a pipe", ... for an existing name that is not a plain file (links are not followed);
/// nullopt for a plain file or a free name.
std::optional<std::string> foreign_kind(const std::filesystem::path& name);

/// Opens a stream destination; returns -1 and sets errno on failure.
int open_stream(const std::filesystem::path& name);

}  // namespace cisolve::io
