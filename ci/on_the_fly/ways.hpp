#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/operator.hpp"
#include "ci/on_the_fly/block_tables.hpp"
#include "ci/on_the_fly/list_tables.hpp"

// The ways to compute a Hamiltonian within its product.
namespace cisolve::ci {

/// A product that is computed item by item, each of which writes its own rows of y.
class ComputedProduct : public base::LinearOperator {
 public:
  /// Neighbouring rows that are computed together, and what that costs beside other items.
  struct Item {
    Index first = 0;
    Index rows = 0;
    double work = 0;
  };
  /// Together they have every row, once.
  virtual std::vector<Item> items() const = 0;
  /// Of some of items(), in the unit of their work: on a device more where all wait for a few.
  virtual double cost(const std::vector<bool>& is_kept) const {
    double sum = 0;
    const std::vector<Item> all = items();
    for (std::size_t i = 0; i < all.size(); ++i) sum += is_kept[i] ? all[i].work : 0;
    return sum;
  }
  /// Leaves out the others of items(), also from these: their rows of y stay what they are.
  virtual void keep(const std::vector<bool>& is_kept) = 0;
  /// From now on y begins with this row: no item before it is left.
  virtual void begin_y_with(Index row) = 0;
};

using Operator = std::unique_ptr<ComputedProduct>;

/// A block of rows after the other: where alpha strings share their lists.
Operator by_blocks(BlockTables tables);
/// An alpha string after the other: where most have a list of their own. What a device does for
/// these, here for its tests and for lists whose rows are not found together.
Operator by_lists(const HamiltonianRows& h, ListTables tables);
/// Rows as HamiltonianRows finds them: for any lists. `h` must outlive it.
Operator by_rows(const HamiltonianRows& h);

namespace cuda {
Operator by_blocks(BlockTables tables);
Operator by_lists(const HamiltonianRows& h, ListTables tables);
/// Keeps a copy of what it needs.
Operator by_rows(const HamiltonianRows& h, const base::Backend& device);
}  // namespace cuda

/// What a product by blocks consists of.
std::vector<ComputedProduct::Item> items_of(const BlockTables& tables);

/// Calls multiply(x, y) of at most `most` vectors at a time, 1, 2, 4 or 8 of them.
template <class Multiply>
void in_widths(base::ConstBlock x, base::Block y, int most, Multiply&& multiply) {
  for (int j = 0; j < x.columns;) {
    int now = most;
    while (now > x.columns - j) now /= 2;
    multiply(x.slice(j, now), y.slice(j, now));
    j += now;
  }
}

/// The same as multiply(width, x, y), where the width is a constant of the compiler's, at most
/// `kMost`.
template <int kMost, class Multiply>
void in_constant_widths(int most, base::ConstBlock x, base::Block y, Multiply&& multiply) {
  in_widths(x, y, most, [&](base::ConstBlock from, base::Block to) {
    if constexpr (kMost == 8)
      if (from.columns == 8) multiply(std::integral_constant<int, 8>(), from, to);
    if (from.columns == 4) multiply(std::integral_constant<int, 4>(), from, to);
    if (from.columns == 2) multiply(std::integral_constant<int, 2>(), from, to);
    if (from.columns == 1) multiply(std::integral_constant<int, 1>(), from, to);
  });
}

/// The same of at most 8 vectors.
template <class Multiply>
void in_constant_widths(base::ConstBlock x, base::Block y, Multiply&& multiply) {
  in_constant_widths<8>(8, x, y, multiply);
}

}  // namespace cisolve::ci
