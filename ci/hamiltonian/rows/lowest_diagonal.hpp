#pragma once

#include <vector>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// The rows of the `count` lowest diagonal elements of H in ascending order, ties by row, as a scan
/// of the whole diagonal would find them; skips pairs of strings that a bound excludes. Empty if
/// that would take too long: if too many elements are nearly equal or the beta lists are about as
/// long as the space.
std::vector<Index> lowest_of_diagonal(const Space& space, const Integrals& integrals, Index count);

}  // namespace cisolve::ci
