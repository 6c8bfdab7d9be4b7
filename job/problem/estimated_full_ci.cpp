#include "job/problem/estimated_full_ci.hpp"

#include "ci/fock/counting/counting.hpp"
#include "ci/hamiltonian/factorised/estimated_factorised_cost.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/molecular_space.hpp"

namespace cisolve::job {

std::optional<MatrixEstimate> estimate_full_ci(const Request& request, const base::Backend& host) {
  if (!has_determinants(request) || !is_full(request.space) || is_single_occupied(request))
    return std::nullopt;
  const ci::Sector sector = active_sector(request, host);
  const ci::SpaceCount found = ci::count_full_ci(sector);
  MatrixEstimate counts{.rows = found.determinants.to_double(),
                        .nonzeros = found.pattern.to_double()};
  if (request.elements.threshold == 0) counts.factors = ci::estimated_factorised_cost(sector);
  return counts;
}

}  // namespace cisolve::job
