#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/fock/spaces/space.hpp"
#include "sparse/rows/row_source.hpp"

// The Hamiltonian in a space of determinants, for users of the library. Its rows and columns are in
// the canonical order of the space, and its diagonal includes the core energy, so that eigenvalues
// are total energies in Hartree. The space must outlive what these return; the integrals need not.
namespace cisolve::ci {

/// Rows of the Hamiltonian, to be stored by sparse::build_matrix(); off-diagonal elements with |H|
/// <= threshold are left out.
std::unique_ptr<sparse::RowSource> hamiltonian_rows(const Space& space, const Integrals& integrals,
                                                    double threshold = 0);

/// The product without stored elements, string-driven direct CI (factorised/factorised.hpp), for
/// spaces whose alpha strings have equal or disjoint lists of beta strings: full CI, one irrep of
/// it, products of lists. Throws ErrorKind::bad_input for any other space.
std::unique_ptr<base::LinearOperator> factorised_hamiltonian(const Space& space,
                                                             const Integrals& integrals,
                                                             const base::Backend& backend);

}  // namespace cisolve::ci
