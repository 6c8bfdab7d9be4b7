#include "job/problem/independent_problem.hpp"

#include "base/error.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/oracle/site_oracle.hpp"
#include "job/problem/read_product.hpp"
#include "job/problem/source.hpp"
#include "job/request/shortage.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

IndependentProblem::Problem IndependentProblem::read(const Request& request,
                                                     const base::Backend& backend) {
  if (has_determinants(request))
    return std::make_unique<const DeterminantProblem>(open_molecule(request, backend.host()));
  if (is_site_basis(request)) return std::make_unique<const SiteProblemRows>(request, backend);
  return Matrix();
}

IndependentProblem::IndependentProblem(const Request& request, const base::Backend& backend)
    : request_(request), problem_(read(request, backend)) {}

std::unique_ptr<ci::OracleProduct> IndependentProblem::direct(const Watch& watch) const {
  std::unique_ptr<ci::OracleProduct> found;
  if (const SiteProblemRows* rows = spins())
    found = std::make_unique<ci::SiteOracle>(rows->problem().basis, rows->problem().lattice.terms);
  else
    found = std::make_unique<ci::OracleOperator>(molecule()->space, molecule()->integrals,
                                                 request_.elements.threshold);
  found->watch(watch);
  return found;
}

bool IndependentProblem::is_direct(const base::Backend& backend) const {
  if (spins() != nullptr) return request_.elements.threshold == 0;
  return molecule() != nullptr && backend.is_host();
}

SecondOperator IndependentProblem::matrix(const base::Backend& backend, const Watch& watch) const {
  const base::Backend host = backend.host();
  if (is_direct(backend)) return {direct(watch), host};
  if (molecule() == nullptr) {
    ProblemRows rows = open_rows(request_, host);
    auto stored = if_memory_allows(MemoryOf::any, [&] {  // memory may be short on one of many ranks
      return sparse::build_matrix(WatchedRows(*rows, watch), {.format = "csr"}, host);
    });
    if (stored) return {*std::move(stored), host};
    return {read_product(rows.take(), host), host};
  }
  return {ci::oracle_operator_on(backend, molecule()->space, molecule()->integrals,
                                 request_.elements.threshold),
          backend};
}

}  // namespace cisolve::job
