#pragma once

#include <memory>

#include "base/multivector.hpp"
#include "sparse/shared/fetched_rows.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::sparse {

/// A stored symmetric matrix whose rows are shared out among ranks. Each stores its own, in any
/// format, with columns that are numbered anew, so that a product needs of x its own rows and those
/// that it fetches of others. Shares may be uneven, and empty.
class SharedMatrix final : public base::LinearOperator {
 public:
  /// `rows` are all rows, of which a rank reads its own, on a host. All ranks make it together.
  SharedMatrix(const base::Communicator& ranks, const RowSource& rows, base::Layout layout,
               const FormatOptions& options, const base::Backend& backend);

  const base::Layout& layout() const { return layout_; }
  /// The part of this rank; null where it has no rows.
  const SparseMatrix* own() const { return own_.get(); }
  Index fetched() const { return fetched_->count(); }

  Index rows() const override { return diagonal_.size(); }
  /// Not for concurrent use: products share the room for the rows of x.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  /// Of this rank.
  base::OperatorDescription description() const override;

 private:
  const base::Communicator& ranks_;
  base::Backend backend_;
  base::Layout layout_;
  base::Array<double> diagonal_;
  std::unique_ptr<FetchedRows> fetched_;
  std::unique_ptr<SparseMatrix> own_;
  mutable base::MultiVector x_;  // of a product: the rows of this rank, and those that it fetches
};

}  // namespace cisolve::sparse
