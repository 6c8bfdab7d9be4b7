#include "ci/on_the_fly/item_shares.hpp"

#include <algorithm>

namespace cisolve::ci {

base::Layout share_items(std::vector<ComputedProduct::Item> items, int ranks) {
  std::ranges::sort(items, {}, &ComputedProduct::Item::first);
  double all = 0;
  for (const ComputedProduct::Item& item : items) all += item.work;
  std::vector<Index> shares(ranks);
  double before = 0;
  for (const ComputedProduct::Item& item : items) {
    // An item belongs to the rank in whose even share of the work its middle lies.
    const double middle = all > 0 ? (before + item.work / 2) / all : 0;
    shares[std::min(static_cast<int>(middle * ranks), ranks - 1)] += item.rows;
    before += item.work;
  }
  return base::Layout::of_counts(shares);
}

void keep_items_of(ComputedProduct& product, const base::Layout& layout, int rank) {
  const auto pieces = layout.pieces_of(rank);
  const Index first = pieces.empty() ? 0 : pieces.front().first;
  const Index end = first + layout.count(rank);
  std::vector<bool> is_kept;
  for (const ComputedProduct::Item& item : product.items())
    is_kept.push_back(item.first >= first && item.first + item.rows <= end && item.rows > 0);
  product.keep(is_kept);
  product.begin_y_with(first);
}

}  // namespace cisolve::ci
