#pragma once

#include <optional>

#include "solver/task/result.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Block Davidson (Davidson 1975; Liu 1978) with thick restart: the directions are preconditioned
/// residuals of the lowest unfinished states; a restart keeps the lowest Ritz vectors and the
/// previous ones of the states in progress (GD+k, Stathopoulos and Saad 1998); finished states stay
/// in the basis and are reopened if they move. After convergence a search from a random vector
/// orthogonal to the states looks for missed ones (missed_states.hpp); a state found joins the
/// basis. `start` is a checkpoint to continue from, or null.
Result davidson(const Task& task, const Checkpoint* start);

/// Like davidson() without a start, but returns nothing if the start vectors indicate that Lanczos
/// will need fewer products. `error` receives start_error().
std::optional<Result> davidson_unless_lanczos_suits(const Task& task, double& error);

}  // namespace cisolve::solver
