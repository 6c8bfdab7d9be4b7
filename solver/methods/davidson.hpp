#pragma once

#include <optional>

#include "solver/task/result.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Block Davidson with thick restart: the directions are preconditioned residuals of the lowest
/// unfinished states; a restart keeps the lowest Ritz vectors and the previous ones of the states
/// it works on (GD+k); finished states stay in the basis and are worked on again if they move.
/// After convergence a search from a random vector beside the states looks for missed ones
/// (missed_states.hpp); what it finds joins the basis. `start` is a checkpoint to go on from, or
/// null.
Result davidson(const Task& task, const Checkpoint* start);

/// The same without a start, but nothing where its first look says that Lanczos will need fewer
/// products: then `outside` tells what it saw.
std::optional<Result> davidson_where_it_suits(const Task& task, double& outside);

}  // namespace cisolve::solver
