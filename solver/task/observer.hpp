#pragma once

#include <span>

#include "solver/task/checkpoint.hpp"

namespace cisolve::solver {

class Snapshot;

/// Access to the state of a running solver.
class CheckpointSource {
 public:
  virtual Snapshot snapshot() = 0;
  /// Checkpoint on the host, with the rows of this rank only.
  Checkpoint checkpoint();
  /// The ranks among which the rows are distributed.
  virtual const base::Communicator& ranks() const = 0;

 protected:
  ~CheckpointSource() = default;
};

struct Progress {
  int iteration;
  int subspace;
  base::Index products;
  bool searching;  // whether missed states are searched, after convergence
  std::span<const double> energies;
  std::span<const double> residuals;  // last computed residuals
  double seconds;
  double product_seconds;
  double bytes_per_second;  // rate of the products, by the operator's description
  CheckpointSource& state;
  bool last = false;       // the limit of iterations ends it here, unconverged
  bool comparing = false;  // the search compares with the other sector's lowest state instead
};

/// Called once per iteration, on each rank that has one. Logs, progress bars and checkpoints are
/// observers.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Returns false, on any rank, to stop; the result is then what has been reached.
  virtual bool report(const Progress& progress) = 0;
};

}  // namespace cisolve::solver
