#include "job/states/spin_states.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/shared_operator.hpp"
#include "base/text.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "sparse/shared/shared_matrix.hpp"

namespace cisolve::job {
namespace {

// In widths of all energies: those of other spins lie above all of the spin, so far that the
// residual of a state is no larger without the lift than with it.
constexpr double kLift = 2;

/// S^2 less what is fixed of it. Ranks have the rows that they have of H.
class SpinPairs {
 public:
  SpinPairs(const SpinProblem& problem, const base::Backend& backend, const Among& among)
      : rows_(problem.basis, ci::spin_squared(problem.basis.words().filling())),
        backend_(backend),
        among_(among) {}

  std::unique_ptr<base::LinearOperator> stored() const {
    const auto& [ranks, layout] = among_;
    const sparse::FormatOptions plain{.format = "csr"};
    if (ranks.size() == 1) return sparse::build_matrix(rows_, plain, backend_);
    return std::make_unique<sparse::SharedMatrix>(ranks, rows_, layout, plain, backend_);
  }

  std::unique_ptr<base::LinearOperator> computed() const {
    const auto& [ranks, layout] = among_;
    if (ranks.size() == 1) return ci::spin_product(rows_, backend_);
    std::unique_ptr<base::LinearOperator> found;
    base::agree(ranks, [&] {
      const auto mine = layout.pieces_of(ranks.rank());
      const Index first = mine.empty() ? 0 : mine.front().first;
      auto product = ci::spin_product_of_rows(rows_, first, layout.count(ranks.rank()));
      found = base::share_of_rows(ranks, layout, std::move(product), backend_);
    });
    return found;
  }

 private:
  ci::SpinRows rows_;
  base::Backend backend_;
  const Among& among_;
};

/// States that did not converge have a little of other spins, of which the solver was told other
/// energies: what is claimed of them is what H alone says.
void claim_unlifted(const base::LinearOperator& h, const base::Communicator& ranks,
                    solver::Result& result) {
  const base::Backend& backend = result.vectors.backend();
  const base::BlockKernels& kernels = base::block_kernels(backend);
  const int states = result.vectors.columns();
  const base::Block x = result.vectors.block();
  base::MultiVector image(backend, 0, 0);
  base::MultiVector turned(backend, 0, 0);
  base::agree(ranks, [&] {
    image = base::MultiVector(backend, x.rows, states, "images of states");
    turned = base::MultiVector(backend, x.rows, states, "states");
  });
  h.apply(x, image.block());
  base::SmallMatrix among(states, states);
  kernels.gram(backend, x, image.block(), among);
  ranks.sum(among.values());
  const solver::EigenPairs pairs = solver::symmetric_eigen(among);
  kernels.update(backend, 1, x, pairs.vectors, 0, turned.block());
  kernels.copy(backend, turned.block(), x);
  h.apply(x, image.block());
  std::vector<double> factors(states);
  for (int j = 0; j < states; ++j) factors[j] = -pairs.values[j];
  kernels.axpy(backend, factors, x, image.block());
  std::vector<double> norms(states);
  kernels.squared_norms(backend, image.block(), norms);
  ranks.sum(norms);
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
  return {h, pairs, lift_, kLift * width_, backend, problem_.basis.dimension()};
}

solver::Result SpinStates::solve(const base::LinearOperator& h, const base::Backend& backend,
                                 solver::Options options, solver::Observer* observer,
                                 const solver::Checkpoint* start, const Among& among) const {
  const int wanted = options.states;
  options.states = static_cast<int>(std::min<Index>(wanted, count_));
  const SpinPairs pairs(problem_, backend, among);
  const auto with = [&](const base::LinearOperator& of_pairs) {
    std::optional<ci::LiftedSpins> lifted;
    base::agree(among.ranks, [&] {
      lifted.emplace(h, of_pairs, lift_, kLift * width_, backend, problem_.basis.dimension());
    });
    return solver::solve({*lifted, backend, among.ranks, among.layout}, options, observer, start);
  };
  // Stored, where that has room and leaves what a solution needs.
  const auto with_what_fits = [&] {
    try {
      return with(*pairs.stored());
    } catch (const base::Error& error) {
      if (error.fault() != base::Fault::resources || !base::is_agreed(among.ranks, error)) throw;
    }
    return with(*pairs.computed());
  };
  solver::Result result = with_what_fits();
  if (!result.converged()) claim_unlifted(h, among.ranks, result);
  if (wanted > options.states)
    result.note = base::concat(wanted, " states asked for, there are ", count_, " of this spin",
                               result.note.empty() ? "" : "; ", result.note);
  return result;
}

}  // namespace cisolve::job
