#include "job/states/spin_states.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {
namespace {

// In widths of all energies: those of other spins lie above all of the spin, so far that the
// residual of a state is no larger without the lift than with it.
constexpr double kLift = 2;

/// S^2 less what is fixed of it: stored, where there is room for it.
class SpinPairs {
 public:
  SpinPairs(const SpinProblem& problem, const base::Backend& backend)
      : rows_(problem.basis, ci::spin_squared(problem.basis.words().filling())) {
    try {
      product_ = sparse::build_matrix(rows_, {.format = "csr"}, backend);
    } catch (const base::Error& error) {
      if (error.fault() != base::Fault::resources) throw;
      product_ = ci::spin_product(rows_, backend);
    }
  }
  const base::LinearOperator& product() const { return *product_; }

 private:
  ci::SpinRows rows_;
  std::unique_ptr<base::LinearOperator> product_;
};

/// States that did not converge have a little of other spins, of which the solver was told other
/// energies: what is claimed of them is what H alone says.
void claim_unlifted(const base::LinearOperator& h, solver::Result& result) {
  const base::Backend& backend = result.vectors.backend();
  const base::BlockKernels& kernels = base::block_kernels(backend);
  const int states = result.vectors.columns();
  const base::Block x = result.vectors.block();
  base::MultiVector image(backend, x.rows, states, "images of states");
  h.apply(x, image.block());
  base::SmallMatrix among(states, states);
  kernels.gram(backend, x, image.block(), among);
  const solver::EigenPairs pairs = solver::symmetric_eigen(among);
  base::MultiVector turned(backend, x.rows, states, "states");
  kernels.update(backend, 1, x, pairs.vectors, 0, turned.block());
  kernels.copy(backend, turned.block(), x);
  h.apply(x, image.block());
  std::vector<double> factors(states);
  for (int j = 0; j < states; ++j) factors[j] = -pairs.values[j];
  kernels.axpy(backend, factors, x, image.block());
  std::vector<double> norms(states);
  kernels.squared_norms(backend, image.block(), norms);
  for (int j = 0; j < states; ++j) {
    result.states[j].energy = pairs.values[j];
    result.states[j].residual = std::sqrt(norms[j]);
  }
}

}  // namespace

SpinStates::SpinStates(const SpinProblem& problem)
    : problem_(problem),
      lift_(ci::spin_lift(problem.basis.words().filling(), problem.basis.sector(),
                          *problem.twice_spin)),
      width_(ci::energy_width(problem.model)),
      count_(static_cast<Index>(ci::spin_dimension(problem.basis.words().filling(),
                                                   problem.basis.sector(), *problem.twice_spin))) {
  if (width_ == 0) width_ = 1;  // all energies are one
}

ci::LiftedSpins SpinStates::alone(const base::LinearOperator& h, const base::LinearOperator& pairs,
                                  const base::Backend& backend) const {
  return {h, pairs, lift_, kLift * width_, backend};
}

solver::Result SpinStates::solve(const base::LinearOperator& h, const base::Backend& backend,
                                 solver::Options options, solver::Observer* observer,
                                 const solver::Checkpoint* start) const {
  const int wanted = options.states;
  options.states = static_cast<int>(std::min<Index>(wanted, count_));
  const SpinPairs pairs(problem_, backend);
  const ci::LiftedSpins lifted = alone(h, pairs.product(), backend);
  solver::Result result = solver::solve({lifted, backend}, options, observer, start);
  if (!result.converged()) claim_unlifted(h, result);
  if (wanted > options.states)
    result.note = base::concat(wanted, " states asked for, there are ", count_, " of this spin",
                               result.note.empty() ? "" : "; ", result.note);
  return result;
}

}  // namespace cisolve::job
