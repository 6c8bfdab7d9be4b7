#include "ci/hamiltonian/csf/csf_transform.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<CsfTransform> csf_transform(const CsfBasis& /*basis*/,
                                            const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
