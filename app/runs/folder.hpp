#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/files/output_file.hpp"

namespace cisolve::app {

/// Names of the files of a run in its output.directory, which a job and a sweep may share. They are
/// the program's own: no configuration of a user has them by chance.
struct RunFiles {
  const char* run;
  const char* record;         // of one that has ended
  const char* mark;           // there as long as it has not
  const char* configuration;  // to go on with, there as long
  const char* earlier;        // name of the configuration, in folders of earlier versions; or null

  bool is_unfinished(const std::filesystem::path& directory) const;
  bool has_record(const std::filesystem::path& directory) const;
  /// Throws Fault::no_input where there is none, and Fault::bad_input for what is no plain file.
  std::string kept_configuration(const std::filesystem::path& directory) const;
};

inline constexpr RunFiles kJobFiles{"job", "run.json", "unfinished-job.yaml", "unfinished-job.yaml",
                                    "job.yaml"};
inline constexpr RunFiles kSweepFiles{"sweep", "sweep.json", "sweep-points/identity.txt",
                                      "sweep-points/sweep.yaml", nullptr};

/// The slots of a job's checkpoints.
inline constexpr const char* kCheckpoints[] = {"checkpoint-a.h5", "checkpoint-b.h5"};

/// The first line of a configuration that a run keeps, by which it is known for one of these.
inline constexpr std::string_view kKept =
    "# Kept by ci-solve to go on with what is unfinished here; it goes when that has ended.\n";

/// Whether a plain file, no link, begins so; false for what is not there or cannot be read.
bool begins_with(const std::filesystem::path& file, std::string_view text);

/// Whether a name is taken, by a link that leads nowhere as well.
bool is_taken(const std::filesystem::path& name);

/// Makes a folder and those it lies in; Fault::cannot_write with the remedy where it cannot.
void make_folder(const std::filesystem::path& path,
                 std::string_view remedy = "choose another output.directory");

/// The same of an output.directory, which it gives back.
std::filesystem::path made_folder(const std::filesystem::path& path);

/// A folder that one job or sweep at a time works in: what two wrote there would be a mixture.
class FolderClaim {
 public:
  /// Throws Fault::cannot_write where another one works there, also of the same process.
  explicit FolderClaim(const std::filesystem::path& folder);
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;
  ~FolderClaim();

 private:
  int folder_;
};

/// Before the work begins: throws Fault::cannot_write where a file could not be, or is there
/// already and may not be replaced.
void require_writable(const std::filesystem::path& file, bool force,
                      io::Place place = io::Place::of_user);

/// Before a file of at least so many bytes is begun: throws Fault::cannot_write where its folder
/// has no room for them. What passes bytes on, such as a pipe, needs none.
void require_room(const std::filesystem::path& file, double least_bytes);

/// The file appears whole or not at all.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool force,
                     io::Place place = io::Place::of_user);

/// Writes a configuration to go on with. Throws Fault::cannot_write where somebody else's file has
/// its name, unless `force`.
void keep_configuration(const std::filesystem::path& path, std::string_view text, bool force);

/// Removes what a killed program has left of files whose names begin with `prefix`; not what a
/// program that runs is writing.
void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix = "");

}  // namespace cisolve::app
