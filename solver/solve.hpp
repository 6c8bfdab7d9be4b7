#pragma once

#include "solver/observer.hpp"
#include "solver/problem.hpp"
#include "solver/result.hpp"

namespace cisolve::solver {

/// The lowest states of a problem. Automatic: all states densely where the dimension is small,
/// Davidson where the diagonal tells the rows apart, Lanczos otherwise. More states than the
/// dimension means all of them. `start` is a checkpoint to go on from, or start vectors.
Result solve(const Problem& problem, const Options& options, Observer* observer = nullptr,
             const Checkpoint* start = nullptr);

}  // namespace cisolve::solver
