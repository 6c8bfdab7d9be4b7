#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {

/// Replaces the residuals r in the free columns of a search space by corrections t, one for each
/// column of `s`, the coefficients of the Ritz vectors x: t = (M - shift)^-1 r (Davidson 1975), or
/// t = (M - shift)^-1 (r - epsilon x) with x^T t = 0 (Olsen et al. 1990).
void correct(Correction kind, const Preconditioner& preconditioner, const Vectors& vectors,
             std::span<const double> shifts, const SmallMatrix& s, SearchSpace& space);

/// Returns the shifts, replaced by the lowest Ritz value for each residual r in the free columns
/// that (M - shift)^-1 makes nearly orthogonal to r. Inside the spectrum M - shift is indefinite,
/// and a direction t with r^T t = 0 lowers no value: a wide basis gets past that, a narrow one
/// stagnates. No diagonal element lies below the lowest value, so M minus it is positive.
std::vector<double> shifts_that_descend(const Preconditioner& preconditioner, Vectors& vectors,
                                        std::vector<double> shifts, double lowest,
                                        SearchSpace& space);

}  // namespace cisolve::solver
