#include "ci/oracle/operators.hpp"

#include "ci/oracle/oracle_operator.hpp"

namespace cisolve::ci {

std::unique_ptr<base::LinearOperator> oracle_hamiltonian(const Space& space,
                                                         const Integrals& integrals,
                                                         const base::Backend& backend,
                                                         double threshold) {
  if (!backend.is_host()) return oracle_operator_on(backend, space, integrals, threshold);
  return std::make_unique<OracleOperator>(space, integrals, threshold);
}

}  // namespace cisolve::ci
