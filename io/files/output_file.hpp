#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "io/files/destination.hpp"
#include "io/files/unfinished.hpp"

namespace cisolve::io {

using base::Index;

/// Owner of a new file, which decides how existing files and links are treated.
enum class FileOwner {
  user,     // a name chosen by the user: links are followed, pipes are written through
  program,  // a file that the program keeps: no link is followed, and
            // anything but a plain file is refused
};

/// A file that appears completely or not at all: it is written under a temporary name in the same
/// folder; commit() syncs and renames it. Without commit() nothing remains. Links are followed,
/// even to a name that does not exist yet. For a stream such as a pipe, the data are kept in the
/// folder for temporary files (TMPDIR) under an unpredictable name, and copied at commit(). All
/// failures are ErrorKind::cannot_write.
class OutputFile {
 public:
  /// Refuses an existing path unless `overwrite`.
  OutputFile(std::filesystem::path path, bool overwrite, FileOwner owner = FileOwner::user);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::filesystem::path& path() const { return path_; }
  /// Current location of the contents, for libraries that open files by name.
  const std::filesystem::path& temporary() const { return temporary_; }

  void append(std::string_view text);
  /// Replaces bytes written before.
  void rewrite(Index offset, std::string_view text);
  /// Flushes to the disk, which leaves less work for commit().
  void sync() const;
  void commit();

 private:
  [[noreturn]] void refuse(int error) const;
  [[noreturn]] void refuse_taken() const;
  void rename() const;
  /// Copies the contents to the stream.
  void copy_to_stream() const;

  std::filesystem::path path_;
  Destination destination_;
  std::filesystem::path temporary_;
  UnfinishedName unfinished_;
  bool overwrite_;
  bool committed_ = false;
  int descriptor_ = -1;
};

/// The system's reason for a failed write, and a remedy.
std::string reason_and_remedy(int error);

/// Bytes available in a folder to an ordinary user; nullopt if unknown.
std::optional<Index> free_bytes(const std::filesystem::path& folder);

/// PID of the process that writes a file with such a temporary name; 0 for other names.
int writer_of(std::string_view temporary_name);

}  // namespace cisolve::io
