#pragma once

#include <vector>

#include "ci/hamiltonian/direct.hpp"
#include "job/plan/plan.hpp"
#include "job/problem/molecule.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// Whether states that were found by such a plan in so many seconds are verified in a sample of
/// rows: where a whole second product would take more than a fifth of that, and the first one
/// multiplies string matrices, so that it can be had once more for little. Never where a sample
/// would be all rows, or where eigenvalues can be counted.
bool samples_rows(const Request& request, const Plan& plan, const Molecule& molecule,
                  const base::Backend& backend, double solve_seconds);

/// Alpha strings in all rows of which a product is compared with another one.
struct RowSample {
  std::vector<ci::StringNumber> alphas;  // ascending
  Index by_chance = 0;                   // of these; the others have most weight in the states

  /// The states lie in the memory of a host.
  static RowSample of(const ci::Space& space, base::ConstBlock states, std::uint64_t seed);

  Index rows(const ci::Space& space) const;
  /// The share of alpha strings whose faults would have been met with a chance of 95 in 100.
  double share_seen() const;
};

/// Multiplies each of the states by both operators, of which the first lies where the states do,
/// and compares these products in the sample; says in `found` what that shows.
void compare_rows(const RowSample& sample, const ci::Space& space,
                  const base::LinearOperator& first, const ci::DirectOperator& second,
                  const base::MultiVector& states, solver::Verification& found);

}  // namespace cisolve::job
