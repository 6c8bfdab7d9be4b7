#include "ci/hamiltonian/hamiltonian.hpp"

#include "base/error.hpp"

namespace cisolve::ci {

std::unique_ptr<sparse::DeviceRows> HamiltonianRows::on(const base::Backend& /*device*/) const {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci
