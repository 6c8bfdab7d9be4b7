#include "base/error.hpp"
#include "ci/lattice/spins/spin_rows.hpp"

namespace cisolve::ci {

std::unique_ptr<sparse::DeviceRows> SpinRows::on(const base::Backend& /*device*/) const {
  throw base::BackendNotBuilt("cuda");
}

namespace cuda {

std::unique_ptr<base::LinearOperator> spin_product(const SpinRows& /*rows*/,
                                                   const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

std::vector<std::vector<double>> spin_means(const SpinBasis& /*basis*/,
                                            std::span<const SpinModel> /*models*/,
                                            base::ConstBlock /*x*/,
                                            const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cuda
}  // namespace cisolve::ci
