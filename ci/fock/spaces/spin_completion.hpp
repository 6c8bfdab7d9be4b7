#pragma once

#include <vector>

#include "ci/fock/spaces/space.hpp"

// A space truncated by spin orbitals, such as singles and doubles of an open shell, may hold only
// some of the spin couplings of a configuration. It is then not closed under S^2 and its states
// have no definite spin.
namespace cisolve::ci {

/// The determinants that belong to configurations of the space but are not in it, ascending; empty
/// if it is closed under S^2. Throws ErrorKind::resources before they exceed the host's budget.
std::vector<Determinant> missing_couplings(const Space& space);

/// The space extended by `missing`, with the same references.
Space completed(const Space& space, const std::vector<Determinant>& missing);

}  // namespace cisolve::ci
