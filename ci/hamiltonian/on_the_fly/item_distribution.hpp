#pragma once

#include "base/ranks/layout.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"

namespace cisolve::ci {

/// Contiguous rows for each rank, in canonical order, with about equal work. Surplus ranks get
/// none.
base::Layout distribute_items(std::vector<ComputedProduct::Item> items, int ranks);

/// Restricts a product to the items of one rank, and y to their rows.
void keep_items_of(ComputedProduct& product, const base::Layout& layout, int rank);

}  // namespace cisolve::ci
