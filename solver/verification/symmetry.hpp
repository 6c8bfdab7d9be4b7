#pragma once

#include "solver/task/options.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// Throws Fault::bad_input for an operator that is not symmetric by more than rounding and the
/// tolerance, as its products with two random vectors tell: iterative solvers take it for symmetric
/// and find other states than it has. All ranks of a problem call it together.
void require_symmetric(const Problem& problem, const Options& options);

}  // namespace cisolve::solver
