#include "ci/hamiltonian/rows/row_order.hpp"

#include "base/error.hpp"

namespace cisolve::ci::cuda {

void gather_rows(const base::Backend& /*device*/, const base::Array<base::Column>& /*order*/,
                 base::ConstBlock /*x*/, base::Block /*y*/) {
  throw base::BackendNotBuilt("cuda");
}

void scatter_rows(const base::Backend& /*device*/, const base::Array<base::Column>& /*order*/,
                  base::ConstBlock /*x*/, base::Block /*y*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci::cuda
