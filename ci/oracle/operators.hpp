#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// The Hamiltonian by the Slater-Condon rules straight from determinants (oracle_operator.hpp), to
/// verify states: it shares no code with ci/hamiltonian, and is slower. Canonical order, core
/// energy included. Off-diagonal elements with |H| <= threshold are left out. Space and integrals
/// must outlive it.
std::unique_ptr<base::LinearOperator> oracle_hamiltonian(const Space& space,
                                                         const Integrals& integrals,
                                                         const base::Backend& backend,
                                                         double threshold = 0);

}  // namespace cisolve::ci
