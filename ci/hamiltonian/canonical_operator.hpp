#pragma once

#include "base/operator.hpp"
#include "ci/spaces/partition.hpp"

namespace cisolve::ci {

/// An operator whose rows are in the order of a partition, as one in canonical order: what a solver
/// sees. The permutation is done in the host's memory; where the operator's vectors are not, they
/// travel for each product.
class CanonicalOperator final : public base::LinearOperator {
 public:
  /// All but the backend must outlive it.
  CanonicalOperator(const base::LinearOperator& stored, const Partition& partition,
                    const base::Backend& backend)
      : stored_(stored), partition_(partition), backend_(backend) {}

  Index rows() const override { return stored_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return stored_.description(); }

 private:
  const base::LinearOperator& stored_;
  const Partition& partition_;
  base::Backend backend_;
};

}  // namespace cisolve::ci
