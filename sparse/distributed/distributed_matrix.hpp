#pragma once

#include <memory>

#include "base/multivector.hpp"
#include "sparse/distributed/fetched_rows.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::sparse {

/// A stored symmetric matrix whose rows are distributed over ranks. Each rank stores its rows in
/// any format with renumbered columns, so that a product needs its own rows of x and the rows
/// fetched from other ranks. Ranks may have different numbers of rows, or none.
class DistributedMatrix final : public base::LinearOperator {
 public:
  /// Collective. `rows` are all rows; a rank reads only its own, on a host.
  DistributedMatrix(const base::Communicator& ranks, const RowSource& rows, base::Layout layout,
                    const FormatOptions& options, const base::Backend& backend);

  const base::Layout& layout() const { return layout_; }
  /// This rank's rows; null if it has none.
  const SparseMatrix* own() const { return own_.get(); }
  Index fetched() const { return fetched_->count(); }

  Index rows() const override { return diagonal_.size(); }
  /// Not safe for concurrent use: products use one buffer for the rows of x.
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  /// Describes this rank's part.
  base::OperatorDescription description() const override;

 private:
  const base::Communicator& ranks_;
  base::Backend backend_;
  base::Layout layout_;
  base::Array<double> diagonal_;
  std::unique_ptr<FetchedRows> fetched_;
  std::unique_ptr<SparseMatrix> own_;
  mutable base::MultiVector x_;  // workspace of a product: rows of this rank, then the fetched ones
};

}  // namespace cisolve::sparse
