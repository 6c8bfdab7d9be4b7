#pragma once

#include "solver/task/krylov_rest.hpp"
#include "solver/task/observer.hpp"
#include "solver/task/sizes.hpp"
#include "solver/task/start.hpp"
#include "solver/task/wanted.hpp"

namespace cisolve::solver {

/// What an iterative solver is given.
struct Task {
  MeteredOperator& matrix;
  Vectors& vectors;
  const Preparation& preparation;
  const Options& options;
  const Sizes& sizes;
  Observer* observer;                // or null
  double largest_ritz = 0;           // magnitude of a Ritz value, as far as one was seen before
  const Wanted* wanted = nullptr;    // null: the lowest states
  const KrylovRest* rest = nullptr;  // of the steps before, or null

  const Backend& backend() const { return vectors.backend(); }

  /// False where the observer of any rank wants to stop.
  bool goes_on(const Progress& progress) const {
    return vectors.ranks().all_true(observer == nullptr || observer->report(progress));
  }
};

}  // namespace cisolve::solver
