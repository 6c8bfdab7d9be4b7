#include "ci/hamiltonian/on_the_fly/ways.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

Operator by_blocks(BlockTables /*tables*/) { throw base::BackendNotBuilt("cuda"); }

Operator by_lists(const HamiltonianRows& /*h*/, ListTables /*tables*/) {
  throw base::BackendNotBuilt("cuda");
}

Operator by_rows(const HamiltonianRows& /*h*/, const base::Backend& /*device*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
