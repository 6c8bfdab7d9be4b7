#pragma once

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/fock/spaces/partition.hpp"

namespace cisolve::ci {

/// Presents an operator stored in the order of a partition in canonical order, as solvers see it.
/// Permutes vectors in the backend's memory.
class CanonicalOperator final : public base::LinearOperator {
 public:
  /// The operator must outlive it. The partition is not the canonical order itself.
  CanonicalOperator(const base::LinearOperator& stored, const Partition& partition,
                    const base::Backend& backend);

  Index rows() const override { return stored_.rows(); }
  /// Not safe for concurrent use: products share their workspace.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return stored_.description(); }

 private:
  const base::LinearOperator& stored_;
  base::Backend backend_;
  base::Array<Column> stored_row_;     // [canonical row]
  base::Array<Column> canonical_row_;  // [stored row]
  // Allocated at construction, so that later allocations see the memory that is left.
  mutable base::MultiVector ordered_;
  mutable base::MultiVector images_;
};

}  // namespace cisolve::ci
