#include "ci/hamiltonian/on_the_fly/stored_items.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cisolve::ci {
namespace {

using Order = std::vector<std::size_t>;

template <class Merit>
Order sorted_by(const std::vector<StorableItem>& items, Merit&& merit) {
  Order order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return merit(items[i]); });
  return order;
}

/// Takes the items that fit, in the order in which they are offered.
class ItemPicker {
 public:
  ItemPicker(const std::vector<StorableItem>& items, const StorageAllowance& allowance)
      : items_(items), allowance_(allowance), is_stored_(items.size(), false) {}

  void take(std::size_t i) {
    const StorableItem& item = items_[i];
    const double bytes = bytes_ + allowance_.element_bytes * static_cast<double>(item.nonzeros) +
                         allowance_.row_bytes * static_cast<double>(item.rows);
    if (is_stored_[i] || nonzeros_ + item.nonzeros > allowance_.nonzeros ||
        bytes > allowance_.bytes)
      return;
    is_stored_[i] = true;
    nonzeros_ += item.nonzeros;
    bytes_ = bytes;
  }
  const std::vector<bool>& stored() const { return is_stored_; }

 private:
  const std::vector<StorableItem>& items_;
  const StorageAllowance& allowance_;
  std::vector<bool> is_stored_;
  Index nonzeros_ = 0;
  double bytes_ = 0;
};

}  // namespace

bool fits_or_reduces(StorageAllowance& allowance, double held) {
  if (held <= allowance.bytes) return true;
  if (allowance.bytes > 0)
    allowance.element_bytes *= 1.02 * held / allowance.bytes;
  else
    allowance.nonzeros = 0;
  return false;
}

std::vector<bool> stored_items(const std::vector<StorableItem>& items,
                               const StorageAllowance& allowance, const CostOfComputing& cost) {
  const Order by_work = sorted_by(items, [](const StorableItem& item) { return item.work; });
  const Order by_work_per_element = sorted_by(items, [](const StorableItem& item) {
    return item.work / static_cast<double>(std::max<Index>(item.nonzeros, 1));
  });
  std::vector<bool> best(items.size(), false);
  double least = std::numeric_limits<double>::infinity();
  // The largest items first if a few of them dominate the cost, else those with the most work per
  // non-zero.
  for (std::size_t largest = 0;; largest = largest == 0 ? 1 : 2 * largest) {
    ItemPicker taker(items, allowance);
    for (const std::size_t i : by_work)
      if (items[i].is_reference) taker.take(i);
    for (std::size_t k = 0; k < std::min(largest, items.size()); ++k) taker.take(by_work[k]);
    for (const std::size_t i : by_work_per_element) taker.take(i);
    std::vector<bool> kept = taker.stored();
    kept.flip();
    if (const double left = cost(kept); left < least) {
      least = left;
      best = taker.stored();
    }
    if (largest >= items.size()) return best;
  }
}

}  // namespace cisolve::ci
