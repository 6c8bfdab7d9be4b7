#include "ci/oracle/oracle_operator.hpp"

#include "base/error.hpp"

namespace cisolve::ci {

std::unique_ptr<base::LinearOperator> oracle_operator_on(const base::Backend& /*device*/,
                                                         const Space& /*space*/,
                                                         const Integrals& /*integrals*/,
                                                         double /*threshold*/) {
  throw base::BackendNotBuilt("cuda");
}

}  // namespace cisolve::ci
