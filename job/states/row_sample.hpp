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

/// Whether states found by `plan` in `solve_seconds` are verified in a sample of rows: if a whole
/// second product would take more than a fifth of that, and the first one uses string matrices,
/// which cost little to apply again. Never if a sample would be all rows, or if eigenvalues can be
/// counted.
bool samples_rows(const Request& request, const Plan& plan, const DeterminantProblem& molecule,
                  const base::Backend& backend, double solve_seconds);
/// Whether a sample suffices for site states, whose elements are computed anew in all rows. On the
/// host a sample is taken only if requested, or if all rows would take longer than 30 s and than
/// the solution; never for one spin.
bool samples_rows(const Request& request, const SiteProblem& problem, const base::Backend& backend,
                  double solve_seconds);

/// Rows in which a product is compared with another one.
struct RowSample {
  std::vector<Index> rows;  // ascending, none twice
  Index by_chance =
      0;  // independent draws from all rows; the others have the largest weights in the states

  static RowSample of(const base::MultiVector& states, std::uint64_t seed);

  /// Fraction of faulty rows, in any pattern, that the draws hit with a probability of 95 %.
  double detectable_fraction() const;
};

/// Products of the second operator with the states and a random vector, in a sample of rows. States
/// have symmetries that an operator may use; the vectors of a search for missed states have none.
struct SecondProducts {
  base::SmallMatrix of_states = {0, 0};
  std::vector<double> of_random;  // empty if not requested or if memory is short
};

SecondProducts second_products(const RowSample& sample, const ci::RowwiseOperator& second,
                               const base::MultiVector& states,
                               std::optional<std::uint64_t> random);

/// Products of the first operator with the random vector; `rows` is called after the device has
/// been given its work. Empty if memory is short for the vector.
std::vector<double> random_products(const std::function<const std::vector<Index>&()>& rows,
                                    const base::LinearOperator& first, const base::Backend& backend,
                                    std::uint64_t seed);

/// Compares the second products with those that the verification found in the same rows, and those
/// of the random vector if both exist; records the result in `found`.
void compare_sample(const RowSample& sample, const std::vector<double>& random,
                    const SecondProducts& second, Index all_rows, solver::Verification& found);

}  // namespace cisolve::job
