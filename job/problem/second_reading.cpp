#include "job/problem/second_reading.hpp"

#include "base/error.hpp"
#include "ci/oracle/direct.hpp"
#include "ci/oracle/direct_spins.hpp"
#include "job/problem/read_product.hpp"
#include "job/problem/source.hpp"
#include "job/request/shortage.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

SecondReading::Problem SecondReading::read(const Request& request, const base::Backend& backend) {
  if (is_molecular(request))
    return std::make_unique<const Molecule>(open_molecule(request, backend.host()));
  if (is_spins(request)) return std::make_unique<const SpinProblemRows>(request, backend);
  return Matrix();
}

SecondReading::SecondReading(const Request& request, const base::Backend& backend)
    : request_(request), problem_(read(request, backend)) {}

std::unique_ptr<ci::DirectProduct> SecondReading::direct(const Watch& watch) const {
  std::unique_ptr<ci::DirectProduct> found;
  if (const SpinProblemRows* rows = spins())
    found = std::make_unique<ci::DirectSpins>(rows->problem().basis, rows->problem().lattice.terms);
  else
    found = std::make_unique<ci::DirectOperator>(molecule()->space, molecule()->integrals,
                                                 request_.elements.threshold);
  found->watch(watch);
  return found;
}

bool SecondReading::is_direct(const base::Backend& backend) const {
  if (spins() != nullptr) return request_.elements.threshold == 0;
  return molecule() != nullptr && backend.is_host();
}

SecondOperator SecondReading::matrix(const base::Backend& backend, const Watch& watch) const {
  const base::Backend host = backend.host();
  if (is_direct(backend)) return {direct(watch), host};
  if (molecule() == nullptr) {
    ProblemRows rows = open_rows(request_, host);
    auto stored = if_there_is_room(MemoryOf::any, [&] {  // one of many ranks may have none
      return sparse::build_matrix(WatchedRows(*rows, watch), {.format = "csr"}, host);
    });
    if (stored) return {*std::move(stored), host};
    return {read_product(rows.take(), host), host};
  }
  return {ci::direct_operator_on(backend, molecule()->space, molecule()->integrals,
                                 request_.elements.threshold),
          backend};
}

}  // namespace cisolve::job
