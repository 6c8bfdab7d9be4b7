#pragma once

#include <span>
#include <vector>

#include "base/operator.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

/// States so close in energy that a solver cannot separate them come in any mixture. Rotates each
/// such cluster of converged states until they are also eigenstates of the operators, which must
/// commute with the matrix and with each other, and updates their energies. A rotation that would
/// cost accuracy is left out, such as one by an operator that does not commute.
///
/// A residual r mixes states at a distance d by r / d, so a cluster extends as far as that may
/// matter. The operators act on the vectors' backend. Returns which states were rotated; their
/// residuals must be recomputed.
std::vector<bool> resolve_degenerate(solver::Result& result,
                                     std::span<const base::LinearOperator* const> operators,
                                     double tolerance);

/// Whether any of the states may be rotated at all.
bool has_degenerate(const solver::Result& result);

}  // namespace cisolve::job
