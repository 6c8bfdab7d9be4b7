#include "ci/hamiltonian/on_the_fly/item_distribution.hpp"

#include <algorithm>

#include "base/ranks/work_distribution.hpp"

namespace cisolve::ci {

base::Layout distribute_items(std::vector<ComputedProduct::Item> items, int ranks) {
  std::ranges::sort(items, {}, &ComputedProduct::Item::first);
  std::vector<double> work;
  std::vector<Index> rows;
  for (const ComputedProduct::Item& item : items) {
    work.push_back(item.work);
    rows.push_back(item.rows);
  }
  return base::distribute_work(work, rows, ranks);
}

void keep_items_of(ComputedProduct& product, const base::Layout& layout, int rank) {
  const Index first = layout.first_of(rank);
  const Index end = first + layout.count(rank);
  std::vector<bool> is_retained;
  for (const ComputedProduct::Item& item : product.items())
    is_retained.push_back(item.first >= first && item.first + item.rows <= end && item.rows > 0);
  product.keep(is_retained);
  product.begin_y_with(first);
}

}  // namespace cisolve::ci
