#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/files/output_file.hpp"

namespace cisolve::app {

/// Names of the files of a run in output.directory, which a job and a sweep may share; chosen so
/// that no user's configuration has them by chance.
struct RunFiles {
  const char* run;
  const char* record;         // file that a finished run leaves
  const char* mark;           // file that exists until the run has finished
  const char* configuration;  // configuration to resume with; exists as long as `mark`
  const char* earlier;        // name of the configuration, in folders of earlier versions; or null

  bool is_unfinished(const std::filesystem::path& directory) const;
  bool has_record(const std::filesystem::path& directory) const;
  /// Throws ErrorKind::no_input if there is none, and ErrorKind::bad_input if it is not a regular
  /// file.
  std::string stored_configuration(const std::filesystem::path& directory) const;
};

inline constexpr RunFiles kJobFiles{"job", "run.json", "unfinished-job.yaml", "unfinished-job.yaml",
                                    "job.yaml"};
inline constexpr RunFiles kSweepFiles{"sweep", "sweep.json", "sweep-points/identity.txt",
                                      "sweep-points/sweep.yaml", nullptr};

/// The slots of a job's checkpoints.
inline constexpr const char* kCheckpoints[] = {"checkpoint-a.h5", "checkpoint-b.h5"};

/// First line of a configuration that a run keeps, by which it is recognised.
inline constexpr std::string_view kKept =
    "# Used by ci-solve to resume the unfinished run in this folder; deleted when it has "
    "finished.\n";

/// Whether a regular file (no link) begins so; false if it cannot be read.
bool begins_with(const std::filesystem::path& file, std::string_view text);

/// Whether a name is taken, by a link that leads nowhere as well.
bool is_taken(const std::filesystem::path& name);

/// Creates a folder and its parents; throws ErrorKind::cannot_write with the remedy.
void make_folder(const std::filesystem::path& path,
                 std::string_view remedy = "set another output.directory");

/// Creates an output.directory and returns it; throws as make_folder().
std::filesystem::path created_folder(const std::filesystem::path& path);

/// Exclusive lock on a folder, held by one job or sweep at a time.
class FolderLock {
 public:
  /// Throws ErrorKind::cannot_write if another job holds it, also in the same process.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int folder_;
};

/// Throws ErrorKind::cannot_write if a file cannot be created, or exists and may not be replaced;
/// called before the work begins.
void require_writable(const std::filesystem::path& file, bool force,
                      io::FileOwner owner = io::FileOwner::user);

/// Throws ErrorKind::cannot_write if the disk has fewer than `least_bytes` free. Pipes and devices
/// need none.
void require_disk_space(const std::filesystem::path& file, double least_bytes);

/// The file appears whole or not at all.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool force,
                     io::FileOwner owner = io::FileOwner::user);

/// Writes the configuration that a resumed run needs. Throws ErrorKind::cannot_write if a foreign
/// file has its name, unless `force`.
void keep_configuration(const std::filesystem::path& path, std::string_view text, bool force);

/// Removes partial files of killed programs whose names begin with `prefix`; not those of running
/// ones.
void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix = "");

}  // namespace cisolve::app
