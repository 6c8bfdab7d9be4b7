#pragma once

#include "solver/observer.hpp"
#include "solver/result.hpp"
#include "solver/sizes.hpp"
#include "solver/start.hpp"

namespace cisolve::solver {

/// Block Davidson with thick restart: the directions are preconditioned residuals of the lowest
/// unfinished states; a restart keeps the lowest Ritz vectors and the previous ones of the states
/// it works on (GD+k); finished states stay in the basis and are worked on again if they move.
/// After convergence a restart from fresh random vectors beside the states looks for missed ones.
/// `start` is a checkpoint to go on from, or null.
Result davidson(MeteredOperator& matrix, Vectors& vectors, const Preparation& preparation,
                const Options& options, const Sizes& sizes, Observer* observer,
                const Checkpoint* start);

}  // namespace cisolve::solver
