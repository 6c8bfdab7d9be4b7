#pragma once

#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// An item of a computed product, as far as it matters whether its rows are stored instead.
struct StorableItem {
  double work = 0;  // to compute it
  Index rows = 0;
  Index nonzeros = 0;
  bool is_reference = false;  // some of its rows are in the Reference region
};

/// What may be stored, and what it takes.
struct StorableShare {
  Index nonzeros = 0;
  double bytes = 0;
  double element_bytes = 0;
  double row_bytes = 0;
};

/// Which items are stored: those of the Reference region; those so large that others would wait for
/// them, as only so many of an item's size are `at_once` in work; then those that have most work
/// for each non-zero.
std::vector<bool> stored_items(const std::vector<StorableItem>& items, const StorableShare& share,
                               double at_once);

}  // namespace cisolve::ci
