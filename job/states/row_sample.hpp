#pragma once

#include <vector>

#include "ci/direct/rowwise.hpp"
#include "job/plan/plan.hpp"
#include "job/problem/molecule.hpp"
#include "job/problem/spin_problem.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// Whether states that were found by such a plan in so many seconds are verified in a sample of
/// rows: where a whole second product would take more than a fifth of that, and the first one
/// multiplies string matrices, so that it can be had once more for little. Never where a sample
/// would be all rows, or where eigenvalues can be counted.
bool samples_rows(const Request& request, const Plan& plan, const Molecule& molecule,
                  const base::Backend& backend, double solve_seconds);
/// The same of spins, beside which their elements are computed anew in all rows; on the host only
/// where that is asked for, and never where one spin is.
bool samples_rows(const Request& request, const SpinProblem& problem, const base::Backend& backend,
                  double solve_seconds);

/// Rows in which a product is compared with another one.
struct RowSample {
  std::vector<Index> rows;  // ascending, none twice
  Index by_chance = 0;      // draws, each of any row; the others have most weight in the states

  static RowSample of(const base::MultiVector& states, std::uint64_t seed);

  /// Whatever shape it has: a fault in this share of all rows is met with a chance of 95 in 100.
  double share_seen() const;
};

/// Multiplies each of the states by the second operator and compares the sample of these products
/// with those that the verification by the first one has told; says in `found` what that shows.
void compare_rows(const RowSample& sample, const ci::RowwiseOperator& second,
                  const base::MultiVector& states, solver::Verification& found);

/// The same of a random vector, after the states. These have symmetries of which the first operator
/// may make use; what a search for missed states multiplies has none. Nothing where there is no
/// room for it.
void compare_random(const RowSample& sample, const ci::RowwiseOperator& second,
                    const base::LinearOperator& first, const base::Backend& backend,
                    std::uint64_t seed, solver::Verification& found);

}  // namespace cisolve::job
