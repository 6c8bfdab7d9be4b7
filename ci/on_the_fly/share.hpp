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

/// Which items are stored: those of the Reference region; then, as long as one is so large that all
/// others are done before it, where so many are in work at once, that one; else the one that has
/// most work for each non-zero. What has no room is passed over.
std::vector<bool> stored_items(const std::vector<StorableItem>& items, const StorableShare& share,
                               double at_once);

}  // namespace cisolve::ci
