#pragma once

#include <memory>
#include <span>

#include "base/array.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::sparse {

/// The diagonal of consecutive rows with these lengths, of which the first is row `first`; in host
/// memory.
base::Array<double> diagonal_of(const RowSource& neighbours, std::span<const Column> lengths,
                                Index first, const base::Backend& host);

/// Consecutive rows of a symmetric matrix, stored with the columns of the whole matrix: the
/// products take whole vectors x, and y has these rows only.
class StoredRows final : public base::LinearOperator {
 public:
  /// `neighbours` are the rows from `first` on; a device may generate them itself.
  StoredRows(const RowSource& neighbours, Index first, base::Array<double> diagonal,
             const FormatOptions& options, const base::Backend& backend);

  /// Null without rows.
  const SparseMatrix* matrix() const { return matrix_.get(); }

  Index rows() const override { return columns_; }
  void apply(base::ConstBlock x, base::Block y) const override;
  /// Writes these rows of a whole column and nothing else.
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override;

 private:
  Index columns_;
  Index first_;
  base::Array<double> diagonal_;
  base::Backend backend_;
  std::unique_ptr<SparseMatrix> matrix_;
};

}  // namespace cisolve::sparse
