#pragma once

#include "ci/fock/spaces/spaces.hpp"

namespace cisolve::ci {

/// All determinants without doubly occupied orbitals: the space of a t-J model. Ignores irreps.
Space single_occupied(const Sector& sector, const base::Backend& host);

/// Throws Fault::configuration for more electrons than sites.
void require_single_occupied(const Sector& sector);

}  // namespace cisolve::ci
