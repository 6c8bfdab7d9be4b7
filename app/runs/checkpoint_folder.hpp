#pragma once

#include <filesystem>
#include <optional>

#include "io/results/checkpoint.hpp"

namespace cisolve::app {

using base::Index;

/// The two slots of a job's folder that take its checkpoints in turn, so that there is a whole one
/// at any moment.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path directory);

  /// Whether there is any, sound or not.
  bool holds_any() const;

  /// The newest sound checkpoint; a warning tells of one that is damaged. None where there is none.
  std::optional<io::StoredCheckpoint> newest(const base::Backend& host);

  /// Replaces the slot that does not hold the newest one.
  void save(io::CheckpointToWrite checkpoint);

  /// Removes the slots, and what a killed run left half written.
  void clear();
  void remove_partial_files() const;

 private:
  static constexpr int kSlots = 2;
  std::filesystem::path slot(int number) const;

  std::filesystem::path directory_;
  Index sequence_ = 0;
  int next_ = 0;  // the slot to be replaced
};

}  // namespace cisolve::app
