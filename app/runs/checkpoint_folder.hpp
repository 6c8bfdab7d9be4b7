#pragma once

#include <filesystem>
#include <optional>

#include "io/results/checkpoint.hpp"

namespace cisolve::app {

using base::Index;

/// Two files in a job's folder that hold its checkpoints alternately, so that one is always
/// complete.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path directory);

  /// Whether there is a checkpoint, valid or not.
  bool has_any() const;

  /// The newest valid checkpoint, or none; warns of damaged ones.
  std::optional<io::StoredCheckpoint> newest(const base::Backend& host);

  /// Replaces the slot that does not hold the newest one.
  void save(io::CheckpointToWrite checkpoint);

  /// Removes the slots and partial files of killed runs.
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
