#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "app/runs/folder.hpp"
#include "app/sweeps/sweep_points.hpp"

namespace cisolve::app {

/// A sweep's output folder. As long as the sweep is unfinished it keeps there, in a folder of its
/// own, the configuration and each point that was measured, so that it can go on where it stopped.
///
/// Without `force` it removes there what it knows by name and contents for its own, and nothing
/// else. Links are never written through.
class SweepFolder {
 public:
  /// Made, claimed and proven writable before the work begins. Goes on with an unfinished sweep of
  /// the same input, unless `force`, which begins anew; refuses one of another input with
  /// Fault::bad_input and the differences.
  SweepFolder(const Configuration& configuration, bool force);

  bool is_resumed() const { return resumed_; }
  bool overwrites() const { return overwrites_; }
  /// Which files the results may replace.
  io::Place place() const { return place_; }
  std::string json_path() const { return (directory_ / kSweepFiles.record).string(); }
  std::string csv_path() const { return (directory_ / "sweep.csv").string(); }

  /// Puts what an earlier run found into a point, and gives the record of its matrix; nothing where
  /// it was not measured. A warning tells of a file that is damaged.
  std::optional<Json> restore(Index number, SweepPoint& point) const;

  /// A point that cannot be written is a warning: what is lost is the time to measure it again.
  void keep(Index number, const SweepPoint& point, const Json& matrix) const;

  /// The sweep is finished: only its results stay.
  void clear() const;

 private:
  void begin(const Configuration& configuration, const std::string& identity, bool force) const;
  /// Removes the files with names of a sweep for which `goes` is true.
  template <class Condition>
  void remove_kept(Condition goes) const;
  void require_same(const std::string& identity) const;
  std::filesystem::path point_file(Index number) const;

  std::filesystem::path directory_;
  FolderClaim claim_;
  std::filesystem::path points_;
  bool resumed_;
  bool overwrites_;
  io::Place place_;
};

}  // namespace cisolve::app
