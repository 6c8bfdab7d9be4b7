#pragma once

#include "base/operator.hpp"
#include "ci/lattice/spins/symmetry_adapted_basis.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::ci {

/// The matrix of a model in a basis, row by row, for any storage format. Keeps a reference to the
/// basis.
class SiteModelRows final : public sparse::RowSource {
 public:
  SiteModelRows(const SymmetryAdaptedBasis& basis, SiteModel model)
      : basis_(basis), model_(std::move(model)) {}

  const SymmetryAdaptedBasis& basis() const { return basis_; }
  const SiteModel& model() const { return model_; }
  sparse::MatrixShape shape() const override {
    return {basis_.dimension(), basis_.dimension(), 0, true};
  }
  void count(Index first, std::span<base::Column> lengths) const override;
  void fill(Index first, Index last, std::span<base::Column> columns,
            std::span<double> values) const override;
  std::unique_ptr<sparse::DeviceRows> on(const base::Backend& device) const override;

 private:
  const SymmetryAdaptedBasis& basis_;
  SiteModel model_;
};

/// The on-the-fly product of such rows. On the host it keeps a reference to them; a device has
/// copies.
std::unique_ptr<base::LinearOperator> site_product(const SiteModelRows& rows,
                                                   const base::Backend& backend);

/// Host product for rows [first, first + count): y has these rows only, x is whole; diagonal()
/// writes to these rows of a whole vector.
std::unique_ptr<base::LinearOperator> site_product_of_rows(const SiteModelRows& rows, Index first,
                                                           Index count);

namespace cuda {
std::unique_ptr<base::LinearOperator> site_product(const SiteModelRows& rows,
                                                   const base::Backend& device);
/// <x|A|x> of each model for each vector in the device's memory.
std::vector<std::vector<double>> site_expectation_values(const SymmetryAdaptedBasis& basis,
                                                         std::span<const SiteModel> models,
                                                         base::ConstBlock x,
                                                         const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci
