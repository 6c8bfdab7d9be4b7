#include "ci/hamiltonian/on_the_fly/factories.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

ComputedProductPtr by_blocks(BlockTables /*tables*/) { throw base::BackendNotBuilt("cuda"); }

ComputedProductPtr by_lists(const HamiltonianRows& /*h*/, ListTables /*tables*/) {
  throw base::BackendNotBuilt("cuda");
}

ComputedProductPtr by_rows(const HamiltonianRows& /*h*/, const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
