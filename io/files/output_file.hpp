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

/// Which files a new file may replace or be written through.
enum class Place {
  of_user,     // whatever a user names: links are followed, and pipes get what is written
  of_program,  // a file that the program keeps for itself: no link is followed, and anything but a
               // plain file is refused
};

/// A file that appears whole or not at all: it is written under another name in the same folder,
/// and commit() brings it to the disk and gives it its name. Without commit() nothing is left.
/// Links are followed, to where there is nothing yet as well. What passes bytes on, such as a pipe,
/// gets them all at commit(); until then they are in the folder for temporary files (TMPDIR), under
/// a name that nobody can foresee. Whatever fails is Fault::cannot_write.
class OutputFile {
 public:
  /// Refuses a path that is taken, unless `overwrite`.
  OutputFile(std::filesystem::path path, bool overwrite, Place place = Place::of_user);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::filesystem::path& path() const { return path_; }
  /// Where the contents go until then, for libraries that open files by name.
  const std::filesystem::path& temporary() const { return temporary_; }

  void append(std::string_view text);
  /// Replaces bytes that were written before.
  void rewrite(Index offset, std::string_view text);
  /// Brings what was written so far to the disk, so that commit() has less to do.
  void sync() const;
  void commit();

 private:
  [[noreturn]] void refuse(int error) const;
  [[noreturn]] void refuse_taken() const;
  void rename() const;
  /// Copies what was written to what passes it on.
  void pass_on() const;

  std::filesystem::path path_;
  Destination destination_;
  std::filesystem::path temporary_;
  UnfinishedName unfinished_;
  bool overwrite_;
  bool committed_ = false;
  int descriptor_ = -1;
};

/// What an error of the system means for somebody who writes, and what helps.
std::string explained(int error);

/// How many bytes a folder has room for, for who is not the system's administrator; none where that
/// cannot be told.
std::optional<Index> free_bytes(const std::filesystem::path& folder);

/// The number of the program that writes a file of such a temporary name; 0 where it is none.
int writer_of(std::string_view temporary_name);

}  // namespace cisolve::io
