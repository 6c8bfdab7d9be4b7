#include "ci/lattice/spins/site_model_rows.hpp"
#include "base/error.hpp"

namespace cisolve::ci {

std::unique_ptr<sparse::DeviceRows> SiteModelRows::on(const base::Backend& /*device*/) const {
  throw base::BackendNotBuilt("cuda");
}

namespace cuda {

std::unique_ptr<base::LinearOperator> site_product(const SiteModelRows& /*rows*/,
                                                   const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

std::vector<std::vector<double>> site_expectation_values(const SymmetryAdaptedBasis& /*basis*/,
                                                         std::span<const SiteModel> /*models*/,
                                                         base::ConstBlock /*x*/,
                                                         const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cuda
}  // namespace cisolve::ci
