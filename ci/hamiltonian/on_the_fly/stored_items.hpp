#pragma once

#include <functional>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// An item of a computed product as a candidate for storage.
struct StorableItem {
  double work = 0;  // work to compute the item
  Index rows = 0;
  Index nonzeros = 0;
  bool is_reference = false;  // whether some of its rows are in the Reference region
};

/// Limits of storage, and its cost.
struct StorageAllowance {
  Index nonzeros = 0;
  double bytes = 0;
  double element_bytes = 0;
  double row_bytes = 0;
};

/// Whether `held` bytes are within the allowance. If not, raises its element_bytes so that the next
/// choice is smaller; an allowance of 0 bytes is reduced to 0 non-zeros.
bool fits_or_reduces(StorageAllowance& allowance, double held);

/// The cost of computing the items that are not stored (`is_computed`).
using CostOfComputing = std::function<double(const std::vector<bool>& is_computed)>;

/// Greedy choice of the items to store: those of the Reference region, then the n largest, then
/// descending by work per non-zero; items that do not fit are skipped. Tries n = 0, 1, 2, 4, ...
/// and keeps the cheapest remainder.
std::vector<bool> stored_items(const std::vector<StorableItem>& items,
                               const StorageAllowance& allowance, const CostOfComputing& cost);

}  // namespace cisolve::ci
