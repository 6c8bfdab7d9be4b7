#include "ci/hamiltonian/canonical_operator.hpp"

#include "base/multivector.hpp"
#include "ci/hamiltonian/row_order.hpp"

namespace cisolve::ci {

CanonicalOperator::CanonicalOperator(const base::LinearOperator& stored, const Partition& partition,
                                     const base::Backend& backend)
    : stored_(stored),
      backend_(backend),
      stored_row_(partition.stored_rows().to(backend, "the order of a partition")),
      canonical_row_(partition.canonical_rows().to(backend, "the order of a partition")) {}

void CanonicalOperator::apply(base::ConstBlock x, base::Block y) const {
  base::MultiVector ordered(backend_, rows(), x.columns, "vectors in stored order");
  base::MultiVector image(backend_, rows(), x.columns, "images in stored order");
  gather_rows(backend_, canonical_row_, x, ordered.block());
  stored_.apply(std::as_const(ordered).block(), image.block());
  gather_rows(backend_, stored_row_, std::as_const(image).block(), y);
}

bool CanonicalOperator::diagonal(base::Block d) const {
  base::MultiVector stored(backend_, rows(), 1, "a diagonal in stored order");
  if (!stored_.diagonal(stored.block())) return false;
  gather_rows(backend_, stored_row_, std::as_const(stored).block(), d);
  return true;
}

}  // namespace cisolve::ci
