#pragma once

#include "solver/methods/search_space.hpp"
#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {

/// Turns the residuals in the free columns of a search space into corrections, one for each column
/// of `s`, the coefficients of the Ritz vectors x: t = (M - shift)^-1 r, or by Olsen
/// t = (M - shift)^-1 (r - epsilon x) with x^T t = 0.
void correct(Correction kind, const Preconditioner& preconditioner, const Vectors& vectors,
             std::span<const double> shifts, const SmallMatrix& s, SearchSpace& space);

}  // namespace cisolve::solver
