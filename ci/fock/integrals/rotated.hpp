#pragma once

#include "base/small_matrix.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"

// Integrals and operators over other orbitals.
namespace cisolve::ci {

/// Integrals over the orbitals q' = sum_p p c(p, q'), the columns of the orthogonal matrix c;
/// without irreps. The integrals must not depend on spin.
///
/// Costs about 2 n^5 multiplications for n orbitals, on all threads of the host, and holds n^4 / 4
/// numbers besides the result. Throws ErrorKind::resources before it exceeds the memory budget.
Integrals rotated(const Integrals& integrals, const base::SmallMatrix& c,
                  const base::Backend& host);

/// The operator over the same orbitals; it must not have other matrices for beta electrons.
OneElectronOperator rotated(const OneElectronOperator& one, const base::SmallMatrix& c);

}  // namespace cisolve::ci
