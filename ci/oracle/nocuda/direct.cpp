#include "ci/oracle/direct.hpp"

#include "base/error.hpp"

namespace cisolve::ci {

std::unique_ptr<base::LinearOperator> direct_operator_on(const base::Backend& /*device*/,
                                                         const Space& /*space*/,
                                                         const Integrals& /*integrals*/,
                                                         double /*threshold*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci
