#include "job/states/solver_view.hpp"

#include <cmath>

#include "base/error.hpp"
#include "ci/hamiltonian/canonical_operator.hpp"
#include "ci/spaces/spin_completion.hpp"
#include "ci/states/csf_operator.hpp"
#include "job/states/total_spin.hpp"

namespace cisolve::job {
namespace {

using base::fail;
using base::Fault;

bool wants_spin(const Request& request) {
  return request.space.spin != static_cast<double>(sparse::kAutomatic);
}

int twice_spin(const Request& request) {
  const double twice = 2 * request.space.spin;
  if (twice != std::floor(twice))
    fail(Fault::configuration, request.origin, ": space.spin is ", request.space.spin,
         "; expected the total spin S, a whole or a half number such as 0, 0.5 or 1");
  return static_cast<int>(twice);
}

/// What a space that is not closed under S^2 would have to hold beside its determinants.
std::string how_to_close(const ci::Space& space) {
  const auto missing = static_cast<Index>(ci::missing_couplings(space).size());
  if (missing == 0) return {};
  return base::concat("; 'space.complete: spin' adds the ", missing, " determinants that its ",
                      space.dimension(), " lack");
}

base::Array<double> diagonal_of(const ci::CsfBasis* basis, const Molecule* molecule) {
  if (basis != nullptr) return basis->diagonal(molecule->space, molecule->integrals);
  return {base::Backend::reference(), 0, "the diagonal"};
}

}  // namespace

std::unique_ptr<const ci::CsfBasis> chosen_spin(const Request& request, const Molecule& molecule) {
  if (!wants_spin(request)) return nullptr;
  const int twice = twice_spin(request);
  if (const std::string reason = why_no_spin(molecule.integrals); !reason.empty())
    fail(Fault::configuration, request.origin, ": space.spin is given, but ", reason,
         "; expected restricted integrals, or spin: any");
  if (request.elements.threshold > 0)
    fail(Fault::configuration, request.origin, ": space.spin and storage.threshold are ",
         "given, but a matrix without its small elements has no total spin; expected one of them");
  try {
    return std::make_unique<ci::CsfBasis>(molecule.space, twice);
  } catch (const base::Error& error) {
    if (error.fault() != Fault::bad_input) throw;
    fail(Fault::configuration, request.origin, ": space.spin: ", error.what(),
         how_to_close(molecule.space));
  }
}

SolverView::SolverView(const Request& request, const Molecule* molecule)
    : partition_(molecule != nullptr ? molecule->partition : nullptr),
      basis_(molecule != nullptr ? chosen_spin(request, *molecule) : nullptr),
      diagonal_(diagonal_of(basis_.get(), molecule)) {
  if (molecule == nullptr && wants_spin(request))
    fail(Fault::configuration, request.origin, ": space.spin is given, but this problem has ",
         "no determinants; expected fcidump, trexio or lattice under 'problem:', or spin: any");
  if (molecule != nullptr && !basis_) elements_.emplace(*molecule, request.elements.threshold);
}

solver::Result SolverView::solve(const base::LinearOperator& matrix, const base::Backend& backend,
                                 const solver::Options& options, solver::Observer* observer,
                                 const solver::Checkpoint* start) const {
  if (!partition_ || partition_->is_canonical())
    return solve_in_order(matrix, backend, options, observer, start);
  return solve_in_order(ci::CanonicalOperator(matrix, *partition_, backend), backend, options,
                        observer, start);
}

solver::Result SolverView::solve_in_order(const base::LinearOperator& matrix,
                                          const base::Backend& backend,
                                          const solver::Options& options,
                                          solver::Observer* observer,
                                          const solver::Checkpoint* start) const {
  if (!basis_) {
    solver::Problem problem{matrix, backend};
    if (elements_) problem.model_block = &*elements_;
    return solver::solve(problem, options, observer, start);
  }
  const ci::CsfOperator of_one_spin(matrix, *basis_, diagonal_, backend);
  solver::Result result = solver::solve({of_one_spin, backend}, options, observer, start);
  solver::bring_whole(solver::kOneProcess, result);
  const base::MultiVector functions = std::move(result.vectors);
  result.vectors = base::MultiVector(functions.backend(), basis_->determinants(),
                                     functions.columns(), "the states");
  result.layout = base::Layout::whole(basis_->determinants());
  basis_->expand(functions.block(), result.vectors.block());
  return result;
}

}  // namespace cisolve::job
