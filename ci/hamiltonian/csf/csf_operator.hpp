#pragma once

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "ci/hamiltonian/csf/csf_transform.hpp"

namespace cisolve::ci {

/// U^T H U: an operator that commutes with S^2 in the CSFs of one spin, U being the expansion to
/// determinants.
class CsfOperator final : public base::LinearOperator {
 public:
  /// Vectors are on the backend of `change`. All arguments must outlive this. An empty `diagonal`
  /// is unknown.
  CsfOperator(const base::LinearOperator& determinants, const CsfTransform& change,
              const base::Array<double>& diagonal);

  Index rows() const override { return change_.basis().functions(); }
  /// Not safe for concurrent use: products share workspace.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return determinants_.description(); }

 private:
  const base::LinearOperator& determinants_;
  const CsfTransform& change_;
  const base::Array<double>& diagonal_;
  // Allocated in the constructor, so that later allocations see what is left.
  mutable base::MultiVector vectors_;
  mutable base::MultiVector images_;
};

}  // namespace cisolve::ci
