#pragma once

#include <optional>
#include <vector>

#include "solver/task/options.hpp"

namespace cisolve::solver {

/// What arithmetic may lose in an energy x^T A x or in a residual: 2 sqrt(rows + 16) epsilon |A|.
/// Behind it are sums of up to `rows` terms and a few operations more, each rounded by at most half
/// an epsilon of |A|. Rounding errors are as often up as down, so that k of them add up to sqrt(k)
/// of one, and this is four times that. `size` is what is known of |A|: the largest of its Ritz
/// values and diagonal elements. Never zero.
double rounding_of_energies(Index rows, double size);

/// Smallest rounding error of a residual: 8 epsilon |A|.
double rounding_of_residuals(double size);

/// Bounds that hold whatever else is in the spectrum: within the residual of a value lies an
/// eigenvalue, and within the norm of the residuals of k values together lie k of them, each with
/// one of its own. The latter counts where the intervals of neighbours meet, so that one eigenvalue
/// never stands for two. `rounding` is added.
std::vector<double> error_bounds(const std::vector<double>& values,
                                 const std::vector<double>& residuals, double rounding);

/// min(r, r^2 / gap) + rounding for each of ascending values; `next` is the lowest value seen above
/// them. Not bounds: gaps are between values that were found, and there may be others.
std::vector<double> error_estimates(const std::vector<double>& values,
                                    const std::vector<double>& residuals,
                                    std::optional<double> next, double rounding);

}  // namespace cisolve::solver
