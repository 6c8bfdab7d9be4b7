#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"
#include "io/files/mapping_guard.hpp"

namespace cisolve::io {

using base::Index;

/// Text that turned out to be wrong at one place. Those who hold the file add its name and line.
struct TextProblem {
  const char* where;
  std::string message;
};

/// A regular file as read-only memory. The pages belong to the system's file cache and are not
/// counted against a memory budget. What another program cuts off meanwhile reads as zeros.
class MappedFile {
 public:
  explicit MappedFile(std::filesystem::path path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  /// The bytes, without the byte order mark that some editors put first.
  std::string_view text() const { return text_; }

  /// Counted from 1. At the very end it is the last line that holds anything.
  Index line_of(const char* where) const;

  /// Throws when another program has written to the file since it was opened. Whoever takes what
  /// the text says for true asks this after the last look at it.
  void require_unchanged() const;

  /// Throws Fault::bad_input as "file:line: what is wrong; what was expected", or says that the
  /// file has changed.
  [[noreturn]] void refuse(const TextProblem& problem) const;

 private:
  std::filesystem::path path_;
  void* mapping_ = nullptr;
  Index bytes_ = 0;
  std::filesystem::file_time_type written_;
  std::string_view text_;
  MappingGuard guard_;
};

/// Throws Fault::no_input for a file that is not there or cannot be read, Fault::bad_input for what
/// is not a regular file.
void require_regular_file(const std::filesystem::path& path);

/// Whether a regular file begins as those of HDF5 do; not where it cannot be read.
bool is_hdf5(const std::filesystem::path& path);

}  // namespace cisolve::io
