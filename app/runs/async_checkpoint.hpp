#pragma once

#include <atomic>
#include <future>

#include "app/runs/checkpoint_folder.hpp"

namespace cisolve::app {

/// Writes a checkpoint in a background thread, from a copy in host memory, concurrently with the
/// solver. Meanwhile nothing else may use the folder or HDF5, nor may the process fork.
class AsyncCheckpoint {
 public:
  explicit AsyncCheckpoint(CheckpointFolder& folder) : folder_(folder) {}
  AsyncCheckpoint(const AsyncCheckpoint&) = delete;
  AsyncCheckpoint& operator=(const AsyncCheckpoint&) = delete;
  ~AsyncCheckpoint();

  /// Whether the host has memory for a copy, with three times as much left, which expanding CSFs
  /// into determinants after the solution may need.
  static bool fits_in_memory(const io::CheckpointToWrite& checkpoint, const base::Backend& host);

  /// Gathers the vectors, each in canonical order, in host memory.
  static base::MultiVector gathered(const io::CheckpointToWrite& checkpoint,
                                    const base::Backend& host);

  /// Starts writing the checkpoint with these vectors, which are in host memory, instead of those
  /// that it would fetch. Only one at a time.
  void begin(io::CheckpointToWrite checkpoint, base::MultiVector vectors);

  /// Whether a write was begun and finish() has not been called since.
  bool is_under_way() const { return begun_.valid(); }
  /// Whether the background thread is still writing.
  bool is_busy() const;
  /// Iterations of the solution in the checkpoint.
  Index iterations() const { return iterations_; }

  /// Waits for the write; rethrows its error.
  void finish();
  /// Cancels the write: the folder stays as it was unless the file is already complete.
  void give_up() noexcept;
  bool is_given_up() const { return given_up_; }

 private:
  CheckpointFolder& folder_;
  Index iterations_ = 0;
  std::atomic<bool> given_up_ = false;
  std::future<void> begun_;
};

}  // namespace cisolve::app
