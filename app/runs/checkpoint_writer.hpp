#pragma once

#include <exception>
#include <string>

#include "app/runs/checkpoint_beside.hpp"
#include "app/runs/checkpoint_folder.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "solver/task/observer.hpp"
#include "solver/task/result.hpp"

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
  enum class Beside { a_device, any_solver };

  CheckpointWriter(CheckpointFolder& folder, std::string input, double interval,
                   Beside beside = Beside::a_device)
      : folder_(folder),
        input_(std::move(input)),
        interval_(interval),
        beside_any_(beside == Beside::any_solver),
        beside_(folder) {}

  bool report(const solver::Progress& progress) override;
  bool has_stopped() const { return stopped_; }

  /// Saves converged states, whose vectors are complete, if that takes a small part of the solution
  /// time or every iteration is saved. Failure is a warning.
  void keep(const solver::Result& states);

  /// Waits for the background write; call it before reading the folder, using HDF5 or forking.
  void settle();
  /// Cancels the background write.
  void give_up() noexcept { beside_.give_up(); }

 private:
  enum class Wish { nothing, to_save, to_stop };

  Wish wish_for(const solver::Progress& progress);
  /// Handles a failed write: the older checkpoint stays; errors other than lack of disk or memory
  /// are rethrown by the next save().
  void take(const base::Error& error, base::Index iteration);
  void save(solver::CheckpointSource& state, bool beside);
  void tell_size(const io::CheckpointToWrite& checkpoint);
  void write(const solver::Snapshot& now, io::CheckpointToWrite checkpoint, bool beside);

  CheckpointFolder& folder_;
  std::string input_;
  double interval_;  // seconds
  bool beside_any_;
  bool stopped_ = false;
  bool warned_ = false;  // since the last that was written
  bool told_size_ = false;
  std::exception_ptr unexpected_;
  base::Stopwatch since_last_;
  CheckpointBeside beside_;
};

/// Converts a stored checkpoint for the solver.
solver::Checkpoint start_from(io::StoredCheckpoint stored);

}  // namespace cisolve::app
