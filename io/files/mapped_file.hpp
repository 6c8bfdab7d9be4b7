#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"
#include "io/files/mapping_guard.hpp"

namespace cisolve::io {

using base::Index;

/// An error at a place in a text; the owner of the file adds file name and line.
struct TextProblem {
  const char* where;
  std::string message;
};

/// A regular file mapped read-only. Its pages belong to the system's file cache and do not count
/// against a memory budget. Parts that another program truncates meanwhile read as zeros.
class MappedFile {
 public:
  explicit MappedFile(std::filesystem::path path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  /// The bytes without a byte order mark.
  std::string_view text() const { return text_; }

  /// Line number, from 1; at the end of the text, the last line with a token.
  Index line_of(const char* where) const;

  /// Throws if another program has written to the file since it was opened. To be called after the
  /// last read, before the contents are used.
  void require_unchanged() const;

  /// Throws ErrorKind::bad_input as "file:line: what is wrong; what was expected", or reports that
  /// the file has changed.
  [[noreturn]] void refuse(const TextProblem& problem) const;

 private:
  std::filesystem::path path_;
  void* mapping_ = nullptr;
  Index bytes_ = 0;
  std::filesystem::file_time_type written_;
  std::string_view text_;
  MappingGuard guard_;
};

/// Throws ErrorKind::no_input if the file is missing or unreadable, ErrorKind::bad_input if it is
/// not a regular file.
void require_regular_file(const std::filesystem::path& path);

/// True if a regular, readable file begins with HDF5's signature.
bool is_hdf5(const std::filesystem::path& path);

}  // namespace cisolve::io
