#include "ci/on_the_fly/row_items.hpp"

namespace cisolve::ci {

RowItems::RowItems(const HamiltonianRows& h) : all_(h.space().dimension()), count_(all_) {
  const Space& space = h.space();
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a) {
    const Index rows = std::ssize(space.betas_of(a));
    // Each row looks at all of these, and finds partners with some.
    const auto work = static_cast<double>(rows * std::ssize(h.connections_of_alpha(a)));
    items_.push_back({space.first_row(a), rows, work});
    alphas_.push_back(static_cast<Column>(a));
  }
}

void RowItems::keep(const std::vector<bool>& is_kept) {
  std::vector<ComputedProduct::Item> kept;
  std::vector<Column> alphas;
  count_ = 0;
  rows_.clear();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_kept[i]) continue;
    kept.push_back(items_[i]);
    alphas.push_back(alphas_[i]);
    count_ += items_[i].rows;
  }
  items_ = std::move(kept);
  alphas_ = std::move(alphas);
  if (count_ == all_) return;
  for (const ComputedProduct::Item& item : items_)
    for (Index row = item.first; row < item.first + item.rows; ++row)
      rows_.push_back(static_cast<Column>(row));
}

}  // namespace cisolve::ci
