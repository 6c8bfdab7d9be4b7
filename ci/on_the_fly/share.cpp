#include "ci/on_the_fly/share.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::ci {
namespace {

/// In the order in which items ask to be stored.
std::vector<std::size_t> wishes(const std::vector<StorableItem>& items, double at_once) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return items[i].work; });
  std::ranges::stable_partition(order, [&](std::size_t i) { return items[i].is_reference; });
  double left = 0;
  for (const StorableItem& item : items) left += item.work;
  // Of those that come first because of what they are, whoever is left.
  auto first = order.begin();
  while (first != order.end() &&
         (items[*first].is_reference || items[*first].work * at_once > left)) {
    left -= items[*first].work;
    ++first;
  }
  std::ranges::stable_sort(first, order.end(), std::ranges::greater{}, [&](std::size_t i) {
    return items[i].work / static_cast<double>(std::max<Index>(items[i].nonzeros, 1));
  });
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
