#pragma once

#include <vector>

#include "ci/spaces/space.hpp"

namespace cisolve::ci {

/// The rows of the `count` lowest elements of the Hamiltonian's diagonal in the order of these, of
/// equal elements the lower row first: those of a lower count begin it. They are those that a look
/// at all of the diagonal would find, but pairs of strings that cannot be among them are not looked
/// at. None where that would take too long: where too many elements are nearly the same, or where
/// lists of beta strings are about as many as rows.
std::vector<Index> lowest_of_diagonal(const Space& space, const Integrals& integrals, Index count);

}  // namespace cisolve::ci
