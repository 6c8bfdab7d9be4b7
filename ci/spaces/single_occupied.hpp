#pragma once

#include "ci/spaces/spaces.hpp"

namespace cisolve::ci {

/// All determinants of which no orbital has two electrons, as the sites of a t-J model. Irreps are
/// not heeded.
Space single_occupied(const Sector& sector, const base::Backend& host);

/// Throws Fault::configuration for more electrons than sites.
void require_single_occupied(const Sector& sector);

}  // namespace cisolve::ci
