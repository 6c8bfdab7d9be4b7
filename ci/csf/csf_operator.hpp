#pragma once

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/csf/csf_change.hpp"

namespace cisolve::ci {

/// An operator that commutes with S^2, among functions of one spin: the determinants' product
/// between an expansion and a contraction.
class CsfOperator final : public base::LinearOperator {
 public:
  /// The backend of the vectors is that of the change; all must outlive it. An empty `diagonal` is
  /// one that is not known.
  CsfOperator(const base::LinearOperator& determinants, const CsfChange& change,
              const base::Array<double>& diagonal);

  Index rows() const override { return change_.basis().functions(); }
  /// Not for concurrent use: products share the room for their determinants.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return determinants_.description(); }

 private:
  const base::LinearOperator& determinants_;
  const CsfChange& change_;
  const base::Array<double>& diagonal_;
  // Held from the beginning, so that what else needs memory takes no more than is left.
  mutable base::MultiVector vectors_;
  mutable base::MultiVector images_;
};

}  // namespace cisolve::ci
