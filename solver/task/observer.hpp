#pragma once

#include <span>

#include "solver/task/snapshot.hpp"

namespace cisolve::solver {

/// Gives the state of a running solver.
class CheckpointSource {
 public:
  virtual Snapshot snapshot() = 0;
  /// On the host: of the rows of this rank, without the others.
  Checkpoint checkpoint() { return snapshot().checkpoint(); }
  /// Those that have the other rows.
  virtual const base::Communicator& ranks() const = 0;

 protected:
  ~CheckpointSource() = default;
};

struct Progress {
  int iteration;
  int subspace;
  base::Index products;
  bool searching;  // for missed states, after convergence
  std::span<const double> energies;
  std::span<const double> residuals;  // as last computed
  double seconds;
  double product_seconds;
  double bytes_per_second;  // of the products, as the operator describes itself
  CheckpointSource& state;
  bool last = false;       // the limit of iterations ends it here, unfinished
  bool comparing = false;  // where it is not for missed states: whether another part's lies lower
};

/// Called once an iteration, on each rank that has one. Logs, progress bars and checkpoints are
/// observers.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// Returns false to stop, on any rank; what has been reached is then the result.
  virtual bool report(const Progress& progress) = 0;
};

}  // namespace cisolve::solver
