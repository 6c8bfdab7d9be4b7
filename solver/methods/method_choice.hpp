#pragma once

#include "solver/basis/ritz_basis.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Whether to choose between Davidson and Lanczos: two or more states, method, preconditioner and
/// start left automatic, a diagonal that distinguishes rows, and enough columns.
bool needs_method_choice(const Task& task);

/// First-order estimate of the component of the states outside the start vectors in the basis: the
/// median norm of (M - theta + c w)^-1 r, with w the width of the diagonal.
double start_error(const Task& task, RitzBasis& basis);

/// Whether Davidson would be slower than Lanczos. Davidson corrects a few states at a time and
/// gains by a preconditioner that leaves little outside; each Lanczos product serves all states.
bool exceeds_davidson_limit(double start_error, int states, bool with_model, bool blocks_are_cheap);

bool prefers_lanczos(const Task& task, double start_error);

}  // namespace cisolve::solver
