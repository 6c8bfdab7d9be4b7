#include "ci/on_the_fly/share.hpp"

#include <algorithm>
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

/// In the order in which items ask to be stored.
Order wishes(const std::vector<StorableItem>& items, double at_once) {
  const Order by_work = sorted_by(items, [](const StorableItem& item) { return item.work; });
  const Order by_density = sorted_by(items, [](const StorableItem& item) {
    return item.work / static_cast<double>(std::max<Index>(item.nonzeros, 1));
  });
  Order order;
  std::vector<bool> is_taken(items.size(), false);
  double left = 0;
  for (const StorableItem& item : items) left += item.work;
  const auto take = [&](std::size_t i) {
    is_taken[i] = true;
    left -= items[i].work;
    order.push_back(i);
  };
  for (const std::size_t i : by_work)
    if (items[i].is_reference) take(i);
  auto large = by_work.begin();
  auto dense = by_density.begin();
  while (order.size() < items.size()) {
    while (is_taken[*large]) ++large;
    while (is_taken[*dense]) ++dense;
    take(items[*large].work * at_once > left ? *large : *dense);
  }
  return order;
}

}  // namespace

std::vector<bool> stored_items(const std::vector<StorableItem>& items, const StorableShare& share,
                               double at_once) {
  std::vector<bool> is_stored(items.size(), false);
  Index nonzeros = 0;
  double bytes = 0;
  for (const std::size_t i : wishes(items, at_once)) {
    const double more = share.element_bytes * static_cast<double>(items[i].nonzeros) +
                        share.row_bytes * static_cast<double>(items[i].rows);
    if (nonzeros + items[i].nonzeros > share.nonzeros || bytes + more > share.bytes) continue;
    is_stored[i] = true;
    nonzeros += items[i].nonzeros;
    bytes += more;
  }
  return is_stored;
}

}  // namespace cisolve::ci
