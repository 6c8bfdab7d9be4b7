#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "app/runs/folder.hpp"
#include "app/sweeps/sweep_points.hpp"

namespace cisolve::app {

/// A sweep's output folder. While the sweep is unfinished a subfolder keeps the configuration and
/// each measured point, so that it can be resumed.
///
/// Without `force` only files that are recognised by name and content as its own are removed. It
/// never writes through links.
class SweepFolder {
 public:
  /// Creates and locks the folder and checks that it is writable before the work begins. Resumes an
  /// unfinished sweep of the same input, unless `force`, which starts anew; throws
  /// ErrorKind::bad_input with the differences for one of another input.
  SweepFolder(const Configuration& configuration, bool force);

  bool is_resumed() const { return resumed_; }
  bool overwrites() const { return overwrites_; }
  /// Names the files that the results may replace.
  io::FileOwner place() const { return place_; }
  std::string json_path() const { return (directory_ / kSweepFiles.record).string(); }
  std::string csv_path() const { return (directory_ / "sweep.csv").string(); }

  /// Restores the results of an earlier run into a point and returns the record of its matrix;
  /// nothing if it was not measured. Warns of a damaged file.
  std::optional<Json> restore(Index number, SweepPoint& point) const;

  /// Saves a point. Failure is a warning: the point would have to be measured again.
  void keep(Index number, const SweepPoint& point, const Json& matrix) const;

  /// The sweep is finished: only its results stay.
  void clear() const;

 private:
  void begin(const Configuration& configuration, const std::string& identity, bool force) const;
  /// Removes files with names of a sweep for which `goes` is true.
  template <class Condition>
  void remove_files_if(Condition goes) const;
  void require_same(const std::string& identity) const;
  std::filesystem::path point_file(Index number) const;

  std::filesystem::path directory_;
  FolderLock lock_;
  std::filesystem::path points_;
  bool resumed_;
  bool overwrites_;
  io::FileOwner place_;
};

}  // namespace cisolve::app
