#pragma once

#include <memory>
#include <span>

#include "sparse/stored/matrix.hpp"

namespace cisolve::sparse {

/// The diagonal of neighbouring rows of these lengths, of which the first has this number; in the
/// host's memory.
base::Array<double> diagonal_of(const RowSource& neighbours, std::span<const Column> lengths,
                                Index first, const base::Backend& host);

/// Neighbouring rows of a symmetric matrix, stored with the columns of all: of whole vectors, a
/// product has these rows and no others.
class StoredRows final : public base::LinearOperator {
 public:
  /// `neighbours` are the rows from number `first` on, of which a device may write its own.
  StoredRows(const RowSource& neighbours, Index first, base::Array<double> diagonal,
             const FormatOptions& options, const base::Backend& backend);

  /// Null where there are no rows.
  const SparseMatrix* matrix() const { return matrix_.get(); }

  Index rows() const override { return columns_; }
  void apply(base::ConstBlock x, base::Block y) const override;
  /// In a whole column, of which no more is written.
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
