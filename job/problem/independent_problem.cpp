#include "job/problem/independent_problem.hpp"

#include "base/error.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/oracle/site_oracle.hpp"
#include "job/problem/rereading_operator.hpp"
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

std::unique_ptr<ci::OracleProduct> IndependentProblem::oracle(const Watch& watch) const {
  std::unique_ptr<ci::OracleProduct> found;
  if (const SiteProblemRows* rows = sites())
    found = std::make_unique<ci::SiteOracle>(rows->problem().basis, rows->problem().lattice.terms);
  else
    found = std::make_unique<ci::OracleOperator>(determinants()->space, determinants()->integrals,
                                                 request_.elements.threshold);
  found->watch(watch);
  return found;
}

bool IndependentProblem::is_oracle(const base::Backend& backend) const {
  if (sites() != nullptr) return request_.elements.threshold == 0;
  return determinants() != nullptr && backend.is_host();
}

SecondOperator IndependentProblem::matrix(const base::Backend& backend, const Watch& watch) const {
  const base::Backend host = backend.host();
  if (is_oracle(backend)) return {oracle(watch), host};
  if (determinants() == nullptr) {
    ProblemRows rows = open_rows(request_, host);
    auto stored = if_memory_allows(MemoryOf::any, [&] {  // memory may be short on one of many ranks
      return sparse::build_matrix(WatchedRows(*rows, watch), {.format = "csr"}, host);
    });
    if (stored) return {*std::move(stored), host};
    return {rereading_operator(rows.take(), host), host};
  }
  return {ci::oracle_operator_on(backend, determinants()->space, determinants()->integrals,
                                 request_.elements.threshold),
          backend};
}

}  // namespace cisolve::job
