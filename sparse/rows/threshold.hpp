#pragma once

#include <memory>

#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// The rows of another source without off-diagonal elements of magnitude up to `threshold`.
/// Counting reads the values too.
class ThresholdRows final : public RowSource {
 public:
  ThresholdRows(std::unique_ptr<const RowSource> rows, double threshold)
      : rows_(std::move(rows)), threshold_(threshold) {}

  MatrixShape shape() const override { return rows_->shape(); }
  Index grain() const override { return rows_->grain(); }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  template <class Keep>
  void visit(Index first, Index last, Keep&& keep) const;

  std::unique_ptr<const RowSource> rows_;
  double threshold_;
};

}  // namespace cisolve::sparse
