#include "job/problem/second_reading.hpp"

#include "ci/hamiltonian/direct.hpp"
#include "job/problem/source.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

SecondReading::SecondReading(const Request& request, const base::Backend& host)
    : request_(request) {
  if (is_molecular(request))
    molecule_ = std::make_unique<const Molecule>(open_molecule(request, host));
}

SecondOperator SecondReading::matrix(const base::Backend& backend, const Watch& watch) const {
  const base::Backend host = backend.host();
  if (!molecule_) {
    const auto rows = open_rows(request_, host);
    return {sparse::build_matrix(WatchedRows(*rows, watch), {.format = "csr"}, host), host};
  }
  const double threshold = request_.elements.threshold;
  if (!backend.is_host())
    return {ci::direct_operator_on(backend, molecule_->space, molecule_->integrals, threshold),
            backend};
  auto direct =
      std::make_unique<ci::DirectOperator>(molecule_->space, molecule_->integrals, threshold);
  direct->watch(watch);
  return {std::move(direct), host};
}

}  // namespace cisolve::job
