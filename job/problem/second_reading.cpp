#include "job/problem/second_reading.hpp"

#include "ci/hamiltonian/direct.hpp"
#include "ci/spins/direct_spins.hpp"
#include "job/problem/source.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {

SecondReading::SecondReading(const Request& request, const base::Backend& backend)
    : request_(request) {
  if (is_molecular(request))
    molecule_ = std::make_unique<const Molecule>(open_molecule(request, backend.host()));
  if (is_spins(request)) spins_ = std::make_unique<const SpinProblemRows>(request, backend);
}

std::unique_ptr<ci::RowwiseOperator> SecondReading::rowwise(const Watch& watch) const {
  if (spins_) {
    const SpinProblem& problem = spins_->problem();
    auto direct = std::make_unique<ci::DirectSpins>(problem.basis, problem.lattice.terms);
    direct->watch(watch);
    return direct;
  }
  auto direct = std::make_unique<ci::DirectOperator>(molecule_->space, molecule_->integrals,
                                                     request_.elements.threshold);
  direct->watch(watch);
  return direct;
}

SecondOperator SecondReading::matrix(const base::Backend& backend, const Watch& watch) const {
  const base::Backend host = backend.host();
  const double threshold = request_.elements.threshold;
  if (spins_ && threshold == 0) return {rowwise(watch), host};
  if (!molecule_) {
    const auto rows = open_rows(request_, host);
    return {sparse::build_matrix(WatchedRows(*rows, watch), {.format = "csr"}, host), host};
  }
  if (backend.is_host()) return {rowwise(watch), host};
  return {ci::direct_operator_on(backend, molecule_->space, molecule_->integrals, threshold),
          backend};
}

}  // namespace cisolve::job
