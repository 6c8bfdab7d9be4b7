#pragma once

#include "ci/fock/spaces/spaces.hpp"

namespace cisolve::ci {

/// All determinants without doubly occupied orbitals: the space of a t-J model. Ignores irreps.
Space singly_occupied_space(const Sector& sector, const base::Backend& host);

/// Throws ErrorKind::configuration for more electrons than sites.
void require_singly_occupied(const Sector& sector);

}  // namespace cisolve::ci
