#include "ci/lattice/sectors/representatives.hpp"
#include "base/error.hpp"

namespace cisolve::ci::cuda {

base::Array<BasisState> find_representatives(const BasisStates& /*words*/,
                                             const SymmetrySector& /*sector*/,
                                             const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
