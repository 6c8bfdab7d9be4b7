#pragma once

#include <optional>
#include <vector>

#include "solver/task/options.hpp"

namespace cisolve::solver {

/// Rounding error of an energy x^T A x or of a residual: 2 sqrt(rows + 16) epsilon |A|. A sum of k
/// terms, each rounded by at most epsilon |A| / 2 with random sign, errs by about sqrt(k) such
/// errors; this is four times that, for up to `rows` terms and a few more operations. `size`
/// estimates |A|: the largest of its Ritz values and diagonal elements. Never zero.
double rounding_of_energies(Index rows, double size);

/// Smallest rounding error of a residual: 8 epsilon |A|.
double rounding_of_residuals(double size);

/// Rigorous error bounds: within a residual of a value lies an eigenvalue, and within the norm of
/// the residuals of k values lie k distinct ones, one for each. The latter is used if the intervals
/// of neighbours overlap, so that no eigenvalue counts twice. `rounding` is added.
std::vector<double> error_bounds(const std::vector<double>& values,
                                 const std::vector<double>& residuals, double rounding);

/// min(r, r^2 / gap) + rounding for each of ascending values; `next` is the lowest value seen above
/// them. Not bounds: gaps are between values found, and others may lie between.
std::vector<double> error_estimates(const std::vector<double>& values,
                                    const std::vector<double>& residuals,
                                    std::optional<double> next, double rounding);

}  // namespace cisolve::solver
