#include "ci/hamiltonian/rows/hamiltonian.hpp"

#include "base/error.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"

namespace cisolve::ci {

std::unique_ptr<sparse::DeviceRows> HamiltonianRows::on(const base::Backend& /*device*/) const {
  throw base::BackendNotBuilt("cuda");
}

std::unique_ptr<sparse::DeviceRows> ChosenRows::on(const base::Backend& /*device*/) const {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci
