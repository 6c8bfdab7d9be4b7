#pragma once

#include "solver/task/options.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// Throws ErrorKind::bad_input if products with two random vectors show that an operator is
/// asymmetric beyond rounding and the tolerance: iterative solvers would find wrong states.
/// Collective.
void require_symmetric(const Problem& problem, const Options& options);

}  // namespace cisolve::solver
