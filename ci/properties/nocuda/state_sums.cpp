#include "ci/properties/state_sums.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

std::unique_ptr<StateSums> state_sums(const Space& /*space*/, const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
