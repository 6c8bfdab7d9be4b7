#pragma once

#include <span>

#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// The rows of a matrix in compressed sparse rows, in arrays of the caller, which must outlive it:
/// row i has the elements offsets[i] to offsets[i + 1] - 1 of `columns` and `values`, columns
/// ascending from 0. Throws ErrorKind::bad_input, with the first row that is wrong, for arrays that
/// are not so. That a matrix is symmetric is taken from `shape` and not checked.
class CsrArrays final : public RowSource {
 public:
  CsrArrays(const MatrixShape& shape, std::span<const Index> offsets,
            std::span<const Column> columns, std::span<const double> values);

  MatrixShape shape() const override { return shape_; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  MatrixShape shape_;
  std::span<const Index> offsets_;
  std::span<const Column> columns_;
  std::span<const double> values_;
};

}  // namespace cisolve::sparse
