#pragma once

#include <exception>
#include <string>

#include "app/runs/async_checkpoint.hpp"
#include "app/runs/checkpoint_folder.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "solver/task/observer.hpp"
#include "solver/task/result.hpp"
#include "solver/task/snapshot.hpp"

namespace cisolve::app {

/// Saves checkpoints at intervals, at the iteration limit, and after an interrupt, which then stops
/// the solution. A failed checkpoint is a warning, given once until the next success, since the
/// older one stays; failure of the last one is an error. On several ranks each has a writer, and
/// all act if any of them must.
///
/// If a device solves and the host has memory for a copy, interval checkpoints are copied and
/// written concurrently; a further interval waits for the write, unless every iteration is to be
/// saved.
class CheckpointWriter final : public solver::Observer {
 public:
  enum class AsyncFor { a_device, any_solver };

  CheckpointWriter(CheckpointFolder& folder, std::string input, double interval,
                   AsyncFor concurrently = AsyncFor::a_device)
      : folder_(folder),
        input_(std::move(input)),
        interval_(interval),
        async_for_any_(concurrently == AsyncFor::any_solver),
        async_(folder) {}

  bool report(const solver::Progress& progress) override;
  bool has_stopped() const { return stopped_; }

  /// Saves converged states, whose vectors are complete, if that takes a small part of the solution
  /// time or every iteration is saved. Failure is a warning.
  void keep(const solver::Result& states);

  /// Waits for the background write; call it before reading the folder, using HDF5 or forking.
  void wait_for_write();
  /// Cancels the background write.
  void give_up() noexcept { async_.give_up(); }

 private:
  enum class Action { nothing, to_save, to_stop };

  Action action_for(const solver::Progress& progress);
  /// Handles a failed write: the older checkpoint stays; errors other than lack of disk or memory
  /// are rethrown by the next save().
  void take(const base::Error& error, base::Index iteration);
  void save(solver::CheckpointSource& state, bool concurrently);
  void report_size(const io::CheckpointToWrite& checkpoint);
  void write(const solver::Snapshot& now, io::CheckpointToWrite checkpoint, bool concurrently);

  CheckpointFolder& folder_;
  std::string input_;
  double interval_;  // seconds
  bool async_for_any_;
  bool stopped_ = false;
  bool warned_ = false;  // whether a failure was reported since the last complete checkpoint
  bool size_reported_ = false;
  std::exception_ptr unexpected_;
  base::Stopwatch since_last_;
  AsyncCheckpoint async_;
};

/// Converts a stored checkpoint for the solver.
solver::Checkpoint start_from(io::StoredCheckpoint stored);

}  // namespace cisolve::app
