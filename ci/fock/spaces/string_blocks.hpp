#pragma once

#include <optional>
#include <vector>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// The list that contains each beta string, or nullopt unless each is in exactly one list: the
/// space is then a union of alpha x beta blocks, one per list. True of full CI and of product
/// spaces (one list) and of one irrep of either.
std::optional<std::vector<Index>> lists_of_betas(const Space& space);

}  // namespace cisolve::ci
