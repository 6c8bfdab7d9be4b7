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

/// Saves the state of a solution in intervals, where the limit of iterations ends it, and once more
/// when the user interrupts the program, which then stops the solution. A checkpoint that cannot be
/// written is a warning, for the older one stays, given once until one is written again; not so the
/// last one. Ranks that solve together have one each: they do what any of them wishes.
///
/// Where a device solves, what an interval brings is copied and written while it goes on, if the
/// host has room for that: an interval that ends meanwhile waits, unless each iteration is wanted.
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

  /// Saves states that were found, whose vectors are whole, where that takes a small part of the
  /// time that they took or each iteration is wanted. Where it fails it is a warning.
  void keep(const solver::Result& states);

  /// Waits for what is being written: whoever reads the folder, uses HDF5 or forks does so later.
  void settle();
  /// What is being written is of no use any more.
  void give_up() noexcept { beside_.give_up(); }

 private:
  enum class Wish { nothing, to_save, to_stop };

  Wish wish_for(const solver::Progress& progress);
  /// The older one stays; what is no lack of room is thrown by the next save().
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

/// A stored checkpoint as the solver takes it.
solver::Checkpoint start_from(io::StoredCheckpoint stored);

}  // namespace cisolve::app
