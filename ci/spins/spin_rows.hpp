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
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override;

 private:
  const SpinBasis& basis_;
  SpinModel model_;
};

/// The product of such rows, whose elements it computes each time. On the host the rows must
/// outlive it; a device has copies.
std::unique_ptr<base::LinearOperator> spin_product(const SpinRows& rows,
                                                   const base::Backend& backend);

/// On the host, of `count` neighbouring rows, which are all that y has; x is whole, and so is the
/// diagonal, of which these rows alone are written.
std::unique_ptr<base::LinearOperator> spin_product_of_rows(const SpinRows& rows, Index first,
                                                           Index count);

namespace cuda {
std::unique_ptr<base::LinearOperator> spin_product(const SpinRows& rows,
                                                   const base::Backend& device);
/// Of each vector in the device's memory, <x|A|x> of each model.
std::vector<std::vector<double>> spin_means(const SpinBasis& basis,
                                            std::span<const SpinModel> models, base::ConstBlock x,
                                            const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
