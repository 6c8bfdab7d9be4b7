#pragma once

#include "solver/task/observer.hpp"
#include "solver/task/result.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// The lowest states of a problem. Automatic: all states densely where the dimension is small,
/// Davidson where the diagonal tells the rows apart, Lanczos otherwise. More states than the
/// dimension means all of them. `start` is a checkpoint to go on from, or start vectors. All ranks
/// of a problem call it together; they get the same result but for the vectors, of which each has
/// its rows, and the times. An error that one of them throws ends the others with a
/// base::PeerFailed.
Result solve(const Problem& problem, const Options& options, Observer* observer = nullptr,
             const Checkpoint* start = nullptr);

}  // namespace cisolve::solver
