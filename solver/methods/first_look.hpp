#pragma once

#include "solver/basis/ritz_basis.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Whether it is asked, and the search space has the room: for two states or more, where a method,
/// a preconditioner and a start are not given and a diagonal tells rows apart.
bool has_to_choose(const Task& task);

/// How much of the states lies outside the start vectors that a basis holds so far, to first order
/// and in the median: the norm of (M - theta + a share of the width of the diagonal)^-1 r.
double outside_start(const Task& task, RitzBasis& basis);

/// Davidson works its way along the states, some at a time, and gains by a preconditioner that
/// leaves little outside; what a product of Lanczos brings serves all states at once.
bool is_too_much(double outside, int states, bool of_model, bool blocks_are_cheap);

bool is_for_lanczos(const Task& task, double outside);

}  // namespace cisolve::solver
