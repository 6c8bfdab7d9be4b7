#pragma once

#include <string>

#include "app/runs/checkpoint_folder.hpp"
#include "base/stopwatch.hpp"
#include "solver/task/observer.hpp"

namespace cisolve::app {

/// Saves the state of a solution in intervals, where the limit of iterations ends it, and once more
/// when the user interrupts the program, which then stops the solution. A checkpoint that cannot be
/// written is a warning, for the older one stays, given once until one is written again; not so the
/// last one. Ranks that solve together have one each: they do what any of them wishes.
class CheckpointWriter final : public solver::Observer {
 public:
  CheckpointWriter(CheckpointFolder& folder, std::string input, double interval)
      : folder_(folder), input_(std::move(input)), interval_(interval) {}

  bool report(const solver::Progress& progress) override;
  bool has_stopped() const { return stopped_; }

 private:
  void save(solver::CheckpointSource& state);

  CheckpointFolder& folder_;
  std::string input_;
  double interval_;  // seconds
  bool stopped_ = false;
  bool warned_ = false;  // since the last that was written
  base::Stopwatch since_last_;
};

/// A stored checkpoint as the solver takes it.
solver::Checkpoint start_from(io::StoredCheckpoint stored);

}  // namespace cisolve::app
