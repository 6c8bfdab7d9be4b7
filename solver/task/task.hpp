#pragma once

#include "solver/task/lanczos_remainder.hpp"
#include "solver/task/observer.hpp"
#include "solver/task/sizes.hpp"
#include "solver/task/solver_setup.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::solver {

/// Input of an iterative solver.
struct Task {
  MeteredOperator& matrix;
  Vectors& vectors;
  const SolverSetup& setup;
  const Options& options;
  const Sizes& sizes;
  Observer* observer;                      // may be null
  double largest_ritz = 0;                 // largest |theta| seen in earlier steps
  const StateSelection* wanted = nullptr;  // null: the lowest states
  const LanczosRemainder* rest = nullptr;  // what preceding Lanczos steps left, or null

  const Backend& backend() const { return vectors.backend(); }

  /// Returns false if the observer of any rank stops.
  bool goes_on(const Progress& progress) const {
    return vectors.ranks().all_true(observer == nullptr || observer->report(progress));
  }
};

}  // namespace cisolve::solver
