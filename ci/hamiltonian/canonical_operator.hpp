#pragma once

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/spaces/partition.hpp"

namespace cisolve::ci {

/// An operator whose rows are in the order of a partition, as one in canonical order: what a solver
/// sees. The permutation is done where the vectors lie.
class CanonicalOperator final : public base::LinearOperator {
 public:
  /// The operator must outlive it. The partition is not the canonical order itself.
  CanonicalOperator(const base::LinearOperator& stored, const Partition& partition,
                    const base::Backend& backend);

  Index rows() const override { return stored_.rows(); }
  /// Not for concurrent use: products share the room for their vectors.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return stored_.description(); }

 private:
  const base::LinearOperator& stored_;
  base::Backend backend_;
  base::Array<Column> stored_row_;     // by canonical row
  base::Array<Column> canonical_row_;  // by stored row
  // Held from the beginning, so that what else needs memory takes no more than is left.
  mutable base::MultiVector ordered_;
  mutable base::MultiVector images_;
};

}  // namespace cisolve::ci
