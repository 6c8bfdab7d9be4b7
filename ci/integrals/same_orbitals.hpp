#pragma once

#include "ci/integrals/integrals.hpp"

namespace cisolve::ci {

/// Whether alpha and beta electrons have the same orbitals, so that S^2 is an operator of the
/// occupations alone: where they differ it needs their overlaps, which integrals do not tell.
///
/// The blocks of spin-dependent integrals are compared. With r = pq of alpha less pq of beta,
/// (r|r) = (aa) + (bb) - 2 (ab) is the self-repulsion of a charge; it is zero only where there is
/// none. So equal blocks mean equal orbitals, but for one common sign of each pair.
bool have_same_orbitals(const Integrals& integrals);

}  // namespace cisolve::ci
