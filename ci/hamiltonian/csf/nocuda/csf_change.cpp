#include "ci/hamiltonian/csf/csf_change.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<CsfChange> csf_change(const CsfBasis& /*basis*/, const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
