#pragma once

#include <optional>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "ci/hamiltonian/csf/csf_transform.hpp"

namespace cisolve::ci {

/// CsfOperator on distributed rows: each rank has its rows of the product over determinants and a
/// contiguous range of CSFs ("functions"). The determinants of a configuration belong to many
/// ranks, so vectors are transformed whole, one by one, on every rank: functions before the
/// product, determinants after it. apply() is collective.
class DistributedCsfOperator final : public base::LinearOperator {
 public:
  /// `determinants` has the rows of `layout`. Vectors are on the backend of `transform`. All
  /// arguments must outlive this. `diagonal` is that of the functions; empty: unknown.
  DistributedCsfOperator(const base::Communicator& ranks, const base::LinearOperator& determinants,
                         const base::Layout& layout, const CsfTransform& transform,
                         const base::Array<double>& diagonal);

  /// Distributes functions evenly over ranks without dividing a configuration.
  static base::Layout distribute(const CsfBasis& basis, const base::Communicator& ranks);
  const base::Layout& layout() const { return functions_; }

  Index rows() const override { return functions_.count(rank()); }
  /// Not safe for concurrent use: products share workspace.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return determinants_.description(); }

  /// Expands this rank's functions to its rows of determinants, in the memory of `where`.
  void expand(base::ConstBlock functions, const base::Backend& where,
              base::Block determinants) const;

 private:
  void expand(base::ConstBlock functions, base::Block determinants) const;
  int rank() const { return extransform_.ranks().rank(); }
  base::Layout::Piece own_functions() const;
  void contract(base::ConstBlock determinants, base::Block functions) const;

  const base::LinearOperator& determinants_;
  const base::Layout& layout_;
  const CsfTransform& transform_;
  const base::Array<double>& diagonal_;
  base::Layout functions_;
  base::VectorExchange extransform_;
  // Allocated in the constructor, so that later allocations see what is left.
  mutable base::MultiVector whole_functions_;
  mutable base::MultiVector whole_determinants_;
  mutable base::MultiVector vectors_;  // rows of this rank
  mutable base::MultiVector images_;
  // Columns at a time: the minimum over ranks, agreed upon in the first product.
  mutable std::optional<int> at_once_;
};

}  // namespace cisolve::ci
