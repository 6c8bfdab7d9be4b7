#pragma once

#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// States of another job, over the determinants of a list in its orbitals.
struct SavedStates {
  const std::string& file;
  /// Determinants over all orbitals of that job's problem.
  const std::vector<ci::Determinant>& determinants;
  const base::MultiVector& vectors;  // a row for each determinant
};

/// States over the rows of this problem.
struct CarriedStates {
  base::MultiVector vectors;
  std::string note = {};  // how different orbitals were matched; empty if they are the same
};

/// The states of solver.follow over the determinants of this problem; others are dropped. If the
/// orbitals differ, as in another geometry, solver.follow_overlap has their overlaps; without it,
/// their order and signs are restored from the integrals. Throws ErrorKind::bad_input if these
/// leave open something that changes the states.
CarriedStates carry_states(const Request& request, const SavedStates& saved,
                           const DeterminantProblem& molecule, const base::Backend& host);

/// The same for states over the same orbitals.
base::MultiVector carry_over_same_orbitals(const SavedStates& saved,
                                           const DeterminantProblem& molecule,
                                           const base::Backend& host);

}  // namespace cisolve::job
