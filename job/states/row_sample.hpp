#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/small_matrix.hpp"
#include "ci/oracle/rowwise.hpp"
#include "job/plan/plan.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/site_problem.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// Whether states that were found by such a plan in so many seconds are verified in a sample of
/// rows: where a whole second product would take more than a fifth of that, and the first one
/// multiplies string matrices, so that it can be had once more for little. Never where a sample
/// would be all rows, or where eigenvalues can be counted.
bool samples_rows(const Request& request, const Plan& plan, const DeterminantProblem& molecule,
                  const base::Backend& backend, double solve_seconds);
/// The same of spins, beside which their elements are computed anew in all rows; on the host only
/// where that is asked for, and never where one spin is.
bool samples_rows(const Request& request, const SiteProblem& problem, const base::Backend& backend,
                  double solve_seconds);

/// Rows in which a product is compared with another one.
struct RowSample {
  std::vector<Index> rows;  // ascending, none twice
  Index by_chance = 0;      // draws, each of any row; the others have most weight in the states

  static RowSample of(const base::MultiVector& states, std::uint64_t seed);

  /// Whatever shape it has: a fault in this share of all rows is met with a chance of 95 in 100.
  double detectable_fraction() const;
};

/// What the second operator makes, in a sample of rows, of the states and of a random vector.
/// States have symmetries of which an operator may make use; what a search for missed states
/// multiplies has none.
struct SecondProducts {
  base::SmallMatrix of_states = {0, 0};
  std::vector<double> of_random;  // empty where it is not wanted, or where there is no room for it
};

SecondProducts second_products(const RowSample& sample, const ci::RowwiseOperator& second,
                               const base::MultiVector& states,
                               std::optional<std::uint64_t> random);

/// By the first operator, where that multiplies: rows are asked for when a device has been given
/// its work. Empty where there is no room for the vector.
std::vector<double> random_products(const std::function<const std::vector<Index>&()>& rows,
                                    const base::LinearOperator& first, const base::Backend& backend,
                                    std::uint64_t seed);

/// Compares the second products with those that the verification of as many rows has told, and
/// those of the random vector where both are there; says in `found` what that shows.
void compare_sample(const RowSample& sample, const std::vector<double>& random,
                    const SecondProducts& second, Index all_rows, solver::Verification& found);

}  // namespace cisolve::job
