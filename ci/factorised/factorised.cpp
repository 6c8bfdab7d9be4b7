#include "ci/factorised/factorised.hpp"

#include "ci/factorised/product_blocks.hpp"
#include "ci/factorised/ways.hpp"

namespace cisolve::ci {

bool may_factorise(const HamiltonianRows& h) {
  return h.threshold() == 0 && has_separate_lists(h.space());
}

std::unique_ptr<base::LinearOperator> factorised(const HamiltonianRows& h,
                                                 const base::Backend& backend) {
  return backend.is_host() ? factors_on_host(h) : cuda::factors(h, backend);
}

}  // namespace cisolve::ci
