#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {

/// Turns the residuals in the free columns of a search space into corrections, one for each column
/// of `s`, the coefficients of the Ritz vectors x: t = (M - shift)^-1 r, or by Olsen
/// t = (M - shift)^-1 (r - epsilon x) with x^T t = 0.
void correct(Correction kind, const Preconditioner& preconditioner, const Vectors& vectors,
             std::span<const double> shifts, const SmallMatrix& s, SearchSpace& space);

/// The shifts, but the lowest Ritz value for each residual r in the free columns that (M -
/// shift)^-1 turns nearly across itself. Inside a spectrum M - shift is indefinite, and a direction
/// t with r^T t = 0 lowers no value: a wide basis gets past that, one of few columns stays where it
/// is. No element of a diagonal lies below the lowest value, so M less that is positive.
std::vector<double> shifts_that_descend(const Preconditioner& preconditioner, Vectors& vectors,
                                        std::vector<double> shifts, double lowest,
                                        SearchSpace& space);

}  // namespace cisolve::solver
