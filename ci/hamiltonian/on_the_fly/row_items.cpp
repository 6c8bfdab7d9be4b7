#include "ci/hamiltonian/on_the_fly/row_items.hpp"

#include <cmath>

#include "ci/hamiltonian/rows/alpha_batch_rows.hpp"

namespace cisolve::ci {

namespace {

double work_of(const HamiltonianRows& h, Index alpha, bool together) {
  const auto rows = static_cast<double>(h.space().betas_of(alpha).size());
  const auto connections = static_cast<double>(h.connections_of_alpha(alpha).size());
  if (!together) return rows * connections;  // each row visits every connection
  double once = connections;
  for (const Connection& to : h.connections_of_alpha(alpha))
    if (to.is_single()) once += static_cast<double>(h.space().betas_of(to.target).size());
  double each = 0;
  for (const StringNumber beta : h.space().betas_of(alpha))
    each += static_cast<double>(h.connections_of_beta(beta).size());
  return std::ceil(rows / double{AlphaBatchRows::kMostTogether}) * once + each;
}

}  // namespace

RowItems::RowItems(const HamiltonianRows& h, bool together)
    : all_(h.space().dimension()), count_(all_) {
  const Space& space = h.space();
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a) {
    const Index rows = std::ssize(space.betas_of(a));
    items_.push_back({space.first_row(a), rows, work_of(h, a, together)});
    alphas_.push_back(static_cast<Column>(a));
  }
}

void RowItems::keep(const std::vector<bool>& is_retained) {
  std::vector<ComputedProduct::Item> kept;
  std::vector<Column> alphas;
  count_ = 0;
  rows_.clear();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_retained[i]) continue;
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
