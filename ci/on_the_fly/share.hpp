#pragma once

#include <functional>
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

/// Whether what is stored, of `held` bytes, is within the share. Reduces the share if not, so that
/// the next choice takes less; of a share of no bytes, to nothing.
bool fits_or_reduces(StorableShare& share, double held);

/// What it costs to compute the items that are kept.
using CostOfKept = std::function<double(const std::vector<bool>& is_kept)>;

/// Which items are stored: those of the Reference region, then some of the largest, then those that
/// have most work for each non-zero; as many of the largest as leave least to be paid for. What has
/// no room is passed over.
std::vector<bool> stored_items(const std::vector<StorableItem>& items, const StorableShare& share,
                               const CostOfKept& cost);

}  // namespace cisolve::ci
