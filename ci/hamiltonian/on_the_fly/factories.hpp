#pragma once

#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/operator.hpp"
#include "ci/hamiltonian/on_the_fly/block_tables.hpp"
#include "ci/hamiltonian/on_the_fly/list_tables.hpp"

// Products that compute the elements of the Hamiltonian.
namespace cisolve::ci {

/// A product computed item by item; each item writes its own rows of y.
class ComputedProduct : public base::LinearOperator {
 public:
  /// Contiguous rows computed together, and their relative cost.
  struct Item {
    Index first = 0;
    Index rows = 0;
    double work = 0;
  };
  /// Every row is in exactly one item.
  virtual std::vector<Item> items() const = 0;
  /// Cost of the kept items, in units of their work; larger on a device if a few dominate.
  virtual double cost(const std::vector<bool>& is_computed) const {
    double sum = 0;
    const std::vector<Item> all = items();
    for (std::size_t i = 0; i < all.size(); ++i) sum += is_computed[i] ? all[i].work : 0;
    return sum;
  }
  /// Removes the other items; their rows of y are not written.
  virtual void keep(const std::vector<bool>& is_computed) = 0;
  /// y begins with this row from now on; all items must be at or after it.
  virtual void begin_y_with(Index row) = 0;
};

using ComputedProductPtr = std::unique_ptr<ComputedProduct>;

/// Block by block: for alpha strings that share their lists.
ComputedProductPtr by_blocks(BlockTables tables);
/// Row by row with bit sets, for alpha strings with lists of their own: the device's method; on the
/// host for its tests and for rows that are not found together.
ComputedProductPtr by_lists(const HamiltonianRows& h, ListTables tables);
/// Rows as HamiltonianRows finds them, for any lists. `h` must outlive it.
ComputedProductPtr by_rows(const HamiltonianRows& h);

namespace cuda {
ComputedProductPtr by_blocks(BlockTables tables);
ComputedProductPtr by_lists(const HamiltonianRows& h, ListTables tables);
/// Copies the tables; `h` need not outlive it.
ComputedProductPtr by_rows(const HamiltonianRows& h, const base::Backend& device);
}  // namespace cuda

/// The items of a product by blocks.
std::vector<ComputedProduct::Item> items_of(const BlockTables& tables);

}  // namespace cisolve::ci
