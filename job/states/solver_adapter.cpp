#include "job/states/solver_adapter.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "ci/fock/spaces/spin_completion.hpp"
#include "ci/hamiltonian/csf/csf_operator.hpp"
#include "ci/hamiltonian/csf/distributed_csf_operator.hpp"
#include "ci/hamiltonian/rows/canonical_operator.hpp"
#include "job/request/shortage.hpp"
#include "job/states/one_parity.hpp"
#include "job/states/total_spin.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;

/// The remedy for a space that is not closed under S^2; empty if its electrons cannot have the
/// spin.
std::string how_to_close(const ci::Space& space, int twice_spin) {
  const int alphas = space.electrons(ci::Spin::alpha);
  const int betas = space.electrons(ci::Spin::beta);
  if (twice_spin < std::abs(alphas - betas) || twice_spin > alphas + betas) return {};
  const auto missing = static_cast<Index>(ci::missing_couplings(space).size());
  if (missing == 0) return {};
  return base::concat("; 'space.complete: spin' adds the ", missing,
                      " determinants missing from these ", space.dimension());
}

base::Array<double> diagonal_of(const ci::CsfBasis* basis, const DeterminantProblem* molecule) {
  if (basis != nullptr) return basis->diagonal(molecule->space, molecule->integrals);
  return {base::Backend::reference(), 0, "the diagonal"};
}

base::MultiVector expanded_by(const ci::CsfTransform& change, const base::MultiVector& functions) {
  base::MultiVector determinants(change.backend(), change.basis().determinants(),
                                 functions.columns(), "the states");
  change.expand(functions.block(), determinants.block());
  return determinants;
}

base::MultiVector expanded_by_host(const ci::CsfBasis& basis, const base::MultiVector& functions) {
  const base::Backend host = functions.backend().host();
  const auto change = ci::csf_transform(basis, host);
  if (functions.backend().is_host()) return expanded_by(*change, functions);
  return expanded_by(*change, functions.to(host));
}

/// Transforms states from spin functions to determinants, on the backend of `change`, or on the
/// host if memory is short. One copy costs little compared to a solution.
base::MultiVector expanded(const ci::CsfTransform& change, const base::MultiVector& functions,
                           SpinsOn spins) {
  if (spins == SpinsOn::host) return expanded_by_host(change.basis(), functions);
  auto found = if_memory_allows(MemoryOf::device, [&] { return expanded_by(change, functions); });
  return found ? *std::move(found) : expanded_by_host(change.basis(), functions);
}

}  // namespace

std::unique_ptr<const ci::CsfBasis> chosen_spin(const Request& request,
                                                const DeterminantProblem& molecule) {
  const std::optional<int> twice = twice_spin(request);
  if (!twice) return nullptr;
  if (const std::string reason = why_no_spin(molecule.integrals); !reason.empty())
    fail(ErrorKind::configuration, request.origin, ": space.spin is given, but ", reason,
         "; expected restricted integrals, or spin: any");
  if (request.elements.threshold > 0)
    fail(ErrorKind::configuration, request.origin, ": space.spin and storage.threshold are ",
         "given, but setting small elements to zero breaks spin symmetry; expected only one of "
         "them");
  try {
    return std::make_unique<ci::CsfBasis>(molecule.space, *twice);
  } catch (const base::Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    fail(ErrorKind::configuration, request.origin, ": space.spin: ", error.what(),
         how_to_close(molecule.space, *twice));
  }
}

SolverAdapter::SolverAdapter(const Request& request, const DeterminantProblem* molecule,
                             const SiteProblemRows* spins)
    : partition_(molecule != nullptr ? molecule->partition : nullptr),
      basis_(molecule != nullptr ? chosen_spin(request, *molecule) : nullptr),
      diagonal_(diagonal_of(basis_.get(), molecule)),
      scale_(spins != nullptr ? spins->problem().model.scale() : 0) {
  if (spins != nullptr && spins->problem().twice_spin) spins_.emplace(spins->problem());
  if (molecule == nullptr && !spins_ && twice_spin(request))
    fail(ErrorKind::configuration, request.origin, ": space.spin is given, but this problem has ",
         "no determinants; expected fcidump, trexio or lattice under 'problem:', or spin: any");
  if (molecule != nullptr && !basis_) elements_.emplace(*molecule, request.elements.threshold);
}

solver::Result SolverAdapter::solve(const base::LinearOperator& matrix, RowsIn order,
                                    const base::Backend& backend, const solver::Options& options,
                                    solver::Observer* observer, const solver::Checkpoint* start,
                                    SpinsOn spins, const Distribution& among) const {
  Call call{backend, options, observer, start, spins, among};
  call.options.scale = scale_;
  if (order == RowsIn::canonical_order || !partition_ || partition_->is_canonical())
    return solve_in_order(matrix, call);
  return solve_in_order(ci::CanonicalOperator(matrix, *partition_, backend), call);
}

solver::Result SolverAdapter::solve_in_order(const base::LinearOperator& matrix,
                                             const Call& call) const {
  if (basis_) return solve_one_spin(matrix, call);
  if (spins_)
    return spins_->solve(matrix, call.backend, call.options, call.observer, call.start, call.among);
  solver::Problem problem{matrix, call.backend, call.among.ranks, call.among.layout};
  if (elements_) problem.model_block = &*elements_;
  if (elements_)
    if (const auto parities =
            Parities::of(matrix, *elements_, call.among.ranks, call.options, call.start))
      return solver::solve_by_sectors(*parities, problem, call.options, call.observer, call.start);
  return solver::solve(problem, call.options, call.observer, call.start);
}

base::Layout SolverAdapter::layout(const Distribution& among) const {
  if (!basis_ || among.ranks.size() == 1) return among.layout;
  return ci::DistributedCsfOperator::distribute(*basis_, among.ranks);
}

std::unique_ptr<ci::CsfTransform> SolverAdapter::change_of(const Call& call) const {
  if (call.spins == SpinsOn::host) return ci::csf_transform_by_host(*basis_, call.backend);
  return ci::csf_transform(*basis_, call.backend);
}

solver::Result SolverAdapter::solve_one_spin(const base::LinearOperator& matrix,
                                             const Call& call) const {
  if (call.among.ranks.size() > 1) return solve_one_spin_together(matrix, call);
  const auto change = change_of(call);
  solver::Result result = [&] {
    const ci::CsfOperator of_one_spin(matrix, *change, diagonal_);
    return solver::solve({of_one_spin, call.backend}, call.options, call.observer, call.start);
  }();
  result.vectors = expanded(*change, result.vectors, call.spins);
  result.layout = base::Layout::whole(basis_->determinants());
  return result;
}

/// Each rank gets its rows of the states, distributed like the matrix.
solver::Result SolverAdapter::solve_one_spin_together(const base::LinearOperator& matrix,
                                                      const Call& call) const {
  const auto& [ranks, layout] = call.among;
  ranks.device_channel(call.backend);  // collective, before any rank may fail
  std::unique_ptr<const ci::CsfTransform> change;
  std::optional<ci::DistributedCsfOperator> of_one_spin;
  base::run_collectively(ranks, [&] {
    change = change_of(call);
    of_one_spin.emplace(ranks, matrix, layout, *change, diagonal_);
  });
  solver::Result result = solver::solve({*of_one_spin, call.backend, ranks, of_one_spin->layout()},
                                        call.options, call.observer, call.start);
  base::MultiVector rows = own_rows(call, result.vectors.columns());
  of_one_spin->expand(std::as_const(result.vectors).block(), rows.backend(), rows.block());
  result.vectors = std::move(rows);
  result.layout = layout;
  return result;
}

/// Memory for this rank's rows of the states; on the host if any device lacks it.
base::MultiVector SolverAdapter::own_rows(const Call& call, int states) {
  const auto& [ranks, layout] = call.among;
  std::optional<base::MultiVector> rows;
  const auto make_on = [&](const base::Backend& backend) {
    base::run_collectively(
        ranks, [&] { rows.emplace(backend, layout.count(ranks.rank()), states, "the states"); });
  };
  const std::string short_of =
      run_catching_shortage(MemoryOf::device, [&] { make_on(call.backend); });
  if (!short_of.empty()) make_on(call.backend.host());
  return std::move(*rows);
}

}  // namespace cisolve::job
