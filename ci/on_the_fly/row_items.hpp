#pragma once

#include "ci/hamiltonian/hamiltonian.hpp"
#include "ci/on_the_fly/ways.hpp"

namespace cisolve::ci {

/// What a product by rows consists of: those of each alpha string.
class RowItems {
 public:
  /// Rows are walked one by one, or those of an alpha string together.
  explicit RowItems(const HamiltonianRows& h, bool together = false);

  const std::vector<ComputedProduct::Item>& items() const { return items_; }
  /// Their alpha strings.
  std::span<const Column> alphas() const { return alphas_; }
  /// Leaves out the other items.
  void keep(const std::vector<bool>& is_kept);

  /// How many rows are left, and which, ascending; an empty list where all are.
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
