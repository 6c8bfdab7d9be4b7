#pragma once

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

/// Whether alpha and beta electrons have the same orbitals, so that S^2 needs occupations alone;
/// otherwise it needs the orbitals' overlaps, which integrals do not determine.
///
/// Compares the blocks of spin-dependent integrals. With rho = pq(alpha) - pq(beta), (rho|rho) =
/// (aa) + (bb) - 2 (ab) is a self-repulsion, which is 0 only for rho = 0. So equal blocks mean
/// equal orbitals up to a common sign of each pair.
bool have_same_orbitals(const Integrals& integrals);

}  // namespace cisolve::ci
