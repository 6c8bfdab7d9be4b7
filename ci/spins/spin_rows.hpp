#pragma once

#include "base/operator.hpp"
#include "ci/spins/spin_basis.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::ci {

/// A model of spins among the states of a basis, which it keeps: row by row, for any storage
/// format. The basis must outlive it.
class SpinRows final : public sparse::RowSource {
 public:
  SpinRows(const SpinBasis& basis, SpinModel model) : basis_(basis), model_(std::move(model)) {}

  const SpinBasis& basis() const { return basis_; }
  const SpinModel& model() const { return model_; }
  sparse::MatrixShape shape() const override {
    return {basis_.dimension(), basis_.dimension(), 0, true};
  }
  void count(Index first, std::span<base::Column> lengths) const override;
  void fill(Index first, Index last, std::span<base::Column> columns,
            std::span<double> values) const override;

 private:
  const SpinBasis& basis_;
  SpinModel model_;
};

/// The product of such rows, whose elements it computes each time. Host only; the rows must outlive
/// it.
class SpinProduct final : public base::LinearOperator {
 public:
  explicit SpinProduct(const SpinRows& rows) : rows_(rows) {}

  Index rows() const override { return rows_.shape().rows; }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return {"on-the-fly", 0, 0, 0}; }

 private:
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const;

  const SpinRows& rows_;
};

}  // namespace cisolve::ci
