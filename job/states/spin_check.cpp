#include "job/states/spin_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ci/hamiltonian/csf/csf_operator.hpp"
#include "ci/oracle/site_oracle.hpp"
#include "ci/properties/state_sums.hpp"
#include "job/request/shortage.hpp"
#include "job/states/solver_adapter.hpp"
#include "job/states/spin_states.hpp"
#include "job/states/total_spin.hpp"

namespace cisolve::job {
namespace {

constexpr double kSpinError = 1e-9;  // error of <S^2>: functions of one spin have it to rounding

}  // namespace

SpinCheck::SpinCheck(const Request& request, const DeterminantProblem* molecule,
                     const SiteProblemRows* spins)
    : request_(request), molecule_(molecule) {
  if (molecule != nullptr) twice_spin_ = twice_spin(request);
  if (spins == nullptr || !spins->problem().twice_spin) return;
  spins_ = &spins->problem();
  twice_spin_ = spins_->twice_spin;
}

solver::Verification SpinCheck::verify(const base::LinearOperator& second,
                                       const solver::Result& result,
                                       const solver::VerifyOptions& options) const {
  solver::VerifyOptions among_all = options;
  among_all.certify_limit = 0;  // states of other spins may lie below
  solver::Verification found =
      solver::verify({second, result.vectors.backend()}, result, among_all);
  if (found.passed && !result.chosen && options.certify_limit > 0)
    run_catching_shortage(MemoryOf::host, [&] {  // uncounted if host memory is short
      spins_ == nullptr ? count_functions(second, result, options, found)
                        : count_spins(second, result, options, found);
    });
  check_spins(result, found);
  found.passed = found.failures.empty();
  return found;
}

namespace {

/// Counts the states among those of one spin alone, and adopts what that shows.
void take_counted(const solver::Problem& of_one_spin, const solver::Result& result,
                  base::ConstBlock vectors, const solver::VerifyOptions& options,
                  solver::Verification& found) {
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  solver::VerifyOptions among_them = options;
  among_them.lowest = options.lowest && result.are_lowest();
  among_them.near = result.near;
  const solver::Verification counted = solver::verify(of_one_spin, energies, vectors, among_them);
  found.failures.insert(found.failures.end(), counted.failures.begin(), counted.failures.end());
  if (counted.completeness != solver::Completeness::certified) return;
  found.completeness = counted.completeness;
  if (counted.beyond.counted) found.beyond = counted.beyond;
  for (std::size_t j = 0; j < found.states.size(); ++j) {
    found.states[j].error_bound = counted.states[j].error_bound;
    found.states[j].error_estimate = counted.states[j].error_estimate;
  }
}

}  // namespace

void SpinCheck::count_functions(const base::LinearOperator& second, const solver::Result& result,
                                const solver::VerifyOptions& options,
                                solver::Verification& found) const {
  const auto basis = chosen_spin(request_, *molecule_);
  if (basis->functions() > options.certify_limit) return;
  const base::Backend& backend = result.vectors.backend();
  const auto change = ci::csf_transform(*basis, backend);
  const base::Array<double> unknown(backend, 0, "the diagonal");
  const ci::CsfOperator of_one_spin(second, *change, unknown);
  base::MultiVector functions(backend, basis->functions(), result.vectors.columns(), "the states");
  change->contract(result.vectors.block(), functions.block());
  take_counted({of_one_spin, backend}, result, std::as_const(functions).block(), options, found);
}

void SpinCheck::count_spins(const base::LinearOperator& second, const solver::Result& result,
                            const solver::VerifyOptions& options,
                            solver::Verification& found) const {
  if (spins_->basis.dimension() > options.certify_limit) return;
  const base::Backend& backend = result.vectors.backend();
  const auto terms = ci::spin_squared_terms(spins_->basis.words().filling());
  const ci::SiteOracle pairs(spins_->basis, terms);
  const ci::SpinShiftedOperator of_one_spin = SpinStates(*spins_).alone(second, pairs, backend);
  take_counted({of_one_spin, backend}, result, result.vectors.block(), options, found);
}

std::vector<double> SpinCheck::spins_squared(const solver::Result& result) const {
  if (spins_ == nullptr)
    return spins_of(*ci::state_sums(molecule_->space, result.vectors.backend())->spin_squared(),
                    result.vectors);
  const ci::ParticleNumbers& filling = spins_->basis.words().filling();
  const auto terms = ci::spin_squared_terms(filling);
  std::vector<double> spins = spins_of(ci::SiteOracle(spins_->basis, terms), result.vectors);
  for (double& s2 : spins) s2 += ci::fixed_spin_squared(filling);
  return spins;
}

/// Largest <S^2> error of a converged state, as other spins are shifted, not excluded: a component
/// of one gives a residual of at least itself times the width of all energies.
double SpinCheck::spin_left_by_lift() const {
  if (spins_ == nullptr) return 0;
  const double most = 0.5 * spins_->basis.words().filling().spins();
  const double part = request_.solver.tolerance / ci::energy_width(spins_->model);
  return most * (most + 1) * part * part;
}

void SpinCheck::check_spins(const solver::Result& result, solver::Verification& found) const {
  const double spin = 0.5 * *twice_spin_;
  const double expected = spin * (spin + 1);
  // Other spins are shifted, not excluded: unconverged states contain some of them.
  if (spins_ != nullptr && !result.converged()) return;
  const std::vector<double> spins = spins_squared(result);
  const double allowed = std::max(kSpinError * std::max(1.0, expected), spin_left_by_lift());
  for (std::size_t j = 0; j < spins.size(); ++j)
    if (!(std::abs(spins[j] - expected) <= allowed))
      found.failures.push_back(base::concat("state ", j + 1, " has <S^2> = ", spins[j],
                                            ", but a spin of ", spin, " has ", expected));
}

}  // namespace cisolve::job
