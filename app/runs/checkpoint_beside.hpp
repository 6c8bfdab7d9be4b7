#pragma once

#include <atomic>
#include <future>

#include "app/runs/checkpoint_folder.hpp"

namespace cisolve::app {

/// Writes a checkpoint by a thread of its own, from a copy in the memory of the host, so that the
/// solver goes on meanwhile. While it is busy nothing else may use the folder or HDF5, nor may this
/// process fork.
class CheckpointBeside {
 public:
  explicit CheckpointBeside(CheckpointFolder& folder) : folder_(folder) {}
  CheckpointBeside(const CheckpointBeside&) = delete;
  CheckpointBeside& operator=(const CheckpointBeside&) = delete;
  ~CheckpointBeside();

  /// Whether the host has room for a copy, and leaves three times as much to others: what comes
  /// when the states are found, as determinants of functions of one spin, may take that.
  static bool has_room(const io::CheckpointToWrite& checkpoint, const base::Backend& host);

  /// A copy of its vectors, each in canonical order.
  static base::MultiVector as_told(const io::CheckpointToWrite& checkpoint,
                                   const base::Backend& host);

  /// With these vectors, in the memory of the host, in place of what is told. Not while one is
  /// under way.
  void begin(io::CheckpointToWrite checkpoint, base::MultiVector vectors);

  /// Whether one was begun and finish() has not been called since.
  bool is_under_way() const { return begun_.valid(); }
  bool is_busy() const;
  /// Of the solution that is or was written.
  Index iterations() const { return iterations_; }

  /// Waits for what is under way; throws what went wrong with it.
  void finish();
  /// It is of no use any more: the folder stays as it was unless the file is whole already.
  void give_up() noexcept;
  bool is_wanted() const { return wanted_; }

 private:
  CheckpointFolder& folder_;
  Index iterations_ = 0;
  std::atomic<bool> wanted_ = true;
  std::future<void> begun_;
};

}  // namespace cisolve::app
