#include "ci/hamiltonian/rows/canonical_operator.hpp"

#include <algorithm>
#include <utility>

#include "ci/hamiltonian/rows/row_order.hpp"

namespace cisolve::ci {

CanonicalOperator::CanonicalOperator(const base::LinearOperator& stored, const Partition& partition,
                                     const base::Backend& backend)
    : stored_(stored),
      backend_(backend),
      stored_row_(partition.stored_rows().to(backend, "the order of a partition")),
      canonical_row_(partition.canonical_rows().to(backend, "the order of a partition")),
      ordered_(backend, stored.rows(), base::preallocated_columns(backend, 2 * stored.rows()),
               "vectors in stored order"),
      images_(backend, stored.rows(), ordered_.columns(), "images in stored order") {}

void CanonicalOperator::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; j += ordered_.columns()) {
    const int columns = std::min(ordered_.columns(), x.columns - j);
    const base::Block ordered = ordered_.block(0, columns);
    const base::Block images = images_.block(0, columns);
    gather_rows(backend_, canonical_row_, x.slice(j, columns), ordered);
    stored_.apply(ordered, images);
    gather_rows(backend_, stored_row_, images, y.slice(j, columns));
  }
}

bool CanonicalOperator::diagonal(base::Block d) const {
  base::MultiVector stored(backend_, rows(), 1, "a diagonal in stored order");
  if (!stored_.diagonal(stored.block())) return false;
  gather_rows(backend_, stored_row_, std::as_const(stored).block(), d);
  return true;
}

}  // namespace cisolve::ci
