#pragma once

#include "base/operator.hpp"
#include "ci/states/csf_basis.hpp"

namespace cisolve::ci {

/// An operator that commutes with S^2, among functions of one spin: the determinants' product
/// between an expansion and a contraction. The basis lies in the host's memory; where the
/// operator's vectors do not, they travel for each product.
class CsfOperator final : public base::LinearOperator {
 public:
  /// All but the backend must outlive it. An empty `diagonal` is one that is not known.
  CsfOperator(const base::LinearOperator& determinants, const CsfBasis& basis,
              const base::Array<double>& diagonal, const base::Backend& backend)
      : determinants_(determinants), basis_(basis), diagonal_(diagonal), backend_(backend) {}

  Index rows() const override { return basis_.functions(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return determinants_.description(); }

 private:
  const base::LinearOperator& determinants_;
  const CsfBasis& basis_;
  const base::Array<double>& diagonal_;
  base::Backend backend_;
};

}  // namespace cisolve::ci
