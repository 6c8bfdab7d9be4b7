#include "job/problem/paper.hpp"

#include "ci/fock/counting/counting.hpp"
#include "ci/hamiltonian/factorised/factors_on_paper.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/problem/molecule.hpp"

namespace cisolve::job {

std::optional<Counts> counts_on_paper(const Request& request, const base::Backend& host) {
  if (!is_molecular(request) || !is_full(request.space) || is_single_occupied(request))
    return std::nullopt;
  const ci::Sector sector = active_sector(request, host);
  const ci::SpaceCount found = ci::count_full_ci(sector);
  Counts counts{.rows = found.determinants.to_double(), .nonzeros = found.pattern.to_double()};
  if (request.elements.threshold == 0) counts.factors = ci::factors_on_paper(sector);
  return counts;
}

}  // namespace cisolve::job
