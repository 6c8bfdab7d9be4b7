#pragma once

#include "base/ranks/layout.hpp"
#include "ci/on_the_fly/ways.hpp"

namespace cisolve::ci {

/// Neighbouring rows for each rank, in canonical order, whose items have about as much work. Ranks
/// that are more than items have none.
base::Layout share_items(std::vector<ComputedProduct::Item> items, int ranks);

/// Leaves a product the items of one rank, and y their rows.
void keep_items_of(ComputedProduct& product, const base::Layout& layout, int rank);

}  // namespace cisolve::ci
