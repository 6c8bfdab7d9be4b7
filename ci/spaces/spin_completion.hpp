#pragma once

#include <vector>

#include "ci/spaces/space.hpp"

// A space that is chosen by spin orbitals, such as the single and double excitations of an open
// shell, may hold some of the ways to give the open shells of a configuration their spins and not
// the others. Then it is not closed under S^2, and its states have no spin.
namespace cisolve::ci {

/// What such a space lacks: of each of its configurations the determinants that are not in it.
/// Ascending; none where the space is closed. Throws Fault::resources before they would exceed the
/// host's budget.
std::vector<Determinant> missing_couplings(const Space& space);

/// The space with its missing couplings. It keeps the references.
Space completed(const Space& space, const std::vector<Determinant>& missing);

}  // namespace cisolve::ci
