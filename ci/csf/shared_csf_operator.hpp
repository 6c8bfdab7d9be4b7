#pragma once

#include <optional>

#include "base/multivector.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "ci/csf/csf_change.hpp"

namespace cisolve::ci {

/// CsfOperator where each rank has a share of the rows of the determinants' product, and
/// neighbouring functions. The determinants of a configuration are rows of many ranks, so vectors
/// are changed whole, on every rank and one after the other: of functions before the product, of
/// determinants behind it. All ranks take products of it together.
class SharedCsfOperator final : public base::LinearOperator {
 public:
  /// The determinants have the rows of `layout`. The backend of the vectors is that of the change;
  /// all must outlive it. An empty `diagonal` is one that is not known.
  SharedCsfOperator(const base::Communicator& ranks, const base::LinearOperator& determinants,
                    const base::Layout& layout, const CsfChange& change,
                    const base::Array<double>& diagonal);

  /// How functions are shared out: about as many to each rank, all of a configuration to one.
  static base::Layout shares(const CsfBasis& basis, const base::Communicator& ranks);
  const base::Layout& layout() const { return functions_; }

  Index rows() const override { return functions_.count(rank()); }
  /// Not for concurrent use: products share the room for their determinants.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return determinants_.description(); }

  /// From the functions of this rank to the rows of determinants that it has, in the memory of any
  /// backend.
  void expand(base::ConstBlock functions, const base::Backend& where,
              base::Block determinants) const;

 private:
  void expand(base::ConstBlock functions, base::Block determinants) const;
  int rank() const { return exchange_.ranks().rank(); }
  base::Layout::Piece own_functions() const;
  void contract(base::ConstBlock determinants, base::Block functions) const;

  const base::LinearOperator& determinants_;
  const base::Layout& layout_;
  const CsfChange& change_;
  const base::Array<double>& diagonal_;
  base::Layout functions_;
  base::VectorExchange exchange_;
  // Held from the beginning, so that what else needs memory takes no more than is left.
  mutable base::MultiVector whole_functions_;
  mutable base::MultiVector whole_determinants_;
  mutable base::MultiVector vectors_;  // of the rows of this rank
  mutable base::MultiVector images_;
  // As many columns as the rank has room for that has the least; asked when all are there first.
  mutable std::optional<int> at_once_;
};

}  // namespace cisolve::ci
