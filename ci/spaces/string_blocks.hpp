#pragma once

#include <optional>
#include <vector>

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// The list in which each beta string stands, where none stands in two or in none: then an alpha
/// string goes with all beta strings of its list's number, and with no other. So it is in full CI,
/// in products of lists (one list for all) and in one irrep of either.
std::optional<std::vector<Index>> lists_of_betas(const Space& space);

}  // namespace cisolve::ci
