#pragma once

#include "solver/task/observer.hpp"
#include "solver/task/result.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// Finds the lowest states of a problem.
/// Method::automatic: dense if the dimension is small, Davidson if the diagonal distinguishes rows,
/// Lanczos otherwise. `options.states` above the dimension means all states. `start` is a
/// checkpoint to continue from, or start vectors; null for none.
/// Collective: all ranks of a problem call it. They get the same result except for the vectors, of
/// which each has its rows, and the times. If one rank throws, the others throw base::PeerFailed.
Result solve(const Problem& problem, const Options& options, Observer* observer = nullptr,
             const Checkpoint* start = nullptr);

}  // namespace cisolve::solver
