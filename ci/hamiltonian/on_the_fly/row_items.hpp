#pragma once

#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

/// The items of a product by rows or lists: one alpha string each.
class RowItems {
 public:
  /// `together`: the rows of an alpha string are found together, which changes their work.
  explicit RowItems(const HamiltonianRows& h, bool together = false);

  const std::vector<ComputedProduct::Item>& items() const { return items_; }
  /// The alpha string of each item.
  std::span<const Column> alphas() const { return alphas_; }
  /// Removes the other items.
  void keep(const std::vector<bool>& is_retained);

  /// The rows that are left: their number, and the rows, ascending (empty if all are).
  Index count() const { return count_; }
  std::span<const Column> rows() const { return rows_; }

 private:
  std::vector<ComputedProduct::Item> items_;
  std::vector<Column> alphas_;
  Index all_;
  Index count_;
  std::vector<Column> rows_;
};

}  // namespace cisolve::ci
