#include "job/states/spin_states.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/text.hpp"
#include "job/problem/product_drafts.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"
#include "sparse/distributed/distributed_matrix.hpp"

namespace cisolve::job {
namespace {

// The shift, in widths of all energies: other spins are above all states of the spin, so far that a
// residual is no larger without the shift than with it.
constexpr double kLift = 2;

// Vectors that a solver uses: a basis of 2 k + 20 with their images, and those of the shift.
constexpr Index kVectors = 50;
constexpr Index kVectorsOfState = 4;
constexpr Index kVectorsOfLift = 2;

/// S^2 without its constant part, distributed over ranks like H.
class SpinPairs {
 public:
  SpinPairs(const SiteProblem& problem, const base::Backend& backend, const Distribution& among)
      : rows_(problem.basis, ci::spin_squared(problem.basis.words().filling())),
        backend_(backend),
        among_(among) {}

  /// Stored if that leaves memory for `vectors` vectors on every rank.
  std::unique_ptr<base::LinearOperator> product(Index vectors) const {
    try {
      std::unique_ptr<base::LinearOperator> found = stored();
      const Index left = backend_.memory().left();
      if (among_.ranks.all_true(left / Index{sizeof(double)} >= vectors * found->rows()))
        return found;
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::resources || !base::is_collective(among_.ranks, error))
        throw;
    }
    return computed();
  }

 private:
  std::unique_ptr<base::LinearOperator> stored() const {
    const auto& [ranks, layout] = among_;
    const sparse::FormatOptions plain{.format = "csr"};
    if (ranks.size() == 1) return sparse::build_matrix(rows_, plain, backend_);
    return std::make_unique<sparse::DistributedMatrix>(ranks, rows_, layout, plain, backend_);
  }

  std::unique_ptr<base::LinearOperator> computed() const {
    const auto& [ranks, layout] = among_;
    if (ranks.size() == 1) return ci::site_product(rows_, backend_);
    std::unique_ptr<base::LinearOperator> found;
    base::run_collectively(
        ranks, [&] { found = distributed_site_product(ranks, layout, rows_, backend_); });
    return found;
  }

  ci::SiteModelRows rows_;
  base::Backend backend_;
  const Distribution& among_;
};

/// Unconverged states contain other spins, whose energies were shifted: claims of them what H alone
/// gives. Bounds and estimates allow for the difference.
void claim_unlifted(const base::LinearOperator& h, const base::Communicator& ranks,
                    solver::Result& result) {
  const int states = result.vectors.columns();
  solver::Vectors vectors(result.vectors.backend(), ranks, result.layout, states);
  base::MultiVector image = vectors.make(1, "an image of a state");
  base::SmallMatrix among(states, states);
  for (int j = 0; j < states; ++j) {
    h.apply(result.vectors.block(j, 1), image.block());
    const base::SmallMatrix column = vectors.gram(result.vectors, image);
    for (int i = 0; i < states; ++i) among(i, j) = column(i, 0);
  }
  const solver::EigenPairs pairs = solver::symmetric_eigen(among);
  vectors.rotate(result.vectors, pairs.vectors);
  for (int j = 0; j < states; ++j) {
    h.apply(result.vectors.block(j, 1), image.block());
    vectors.axpy(-pairs.values[j], solver::columns_of(result.vectors, j, 1), image);
    result.states[j].energy = pairs.values[j];
    result.states[j].residual = vectors.norms(image).front();
  }
}

}  // namespace

SpinStates::SpinStates(const SiteProblem& problem)
    : problem_(problem),
      lift_(ci::spin_shift(problem.basis.words().filling(), problem.basis.sector(),
                           *problem.twice_spin)),
      width_(ci::energy_width(problem.model)),
      count_(static_cast<Index>(ci::spin_dimension(problem.basis.words().filling(),
                                                   problem.basis.sector(), *problem.twice_spin))) {
  if (width_ == 0) width_ = 1;  // all energies are equal
}

ci::SpinShiftedOperator SpinStates::alone(const base::LinearOperator& h,
                                          const base::LinearOperator& pairs,
                                          const base::Backend& backend) const {
  return {h, pairs, lift_, kLift * width_, backend, 1};
}

solver::Result SpinStates::solve(const base::LinearOperator& h, const base::Backend& backend,
                                 solver::Options options, solver::Observer* observer,
                                 const solver::Checkpoint* start, const Distribution& among) const {
  const int wanted = options.states;
  options.states = static_cast<int>(std::min<Index>(wanted, count_));
  const SpinPairs made(problem_, backend, among);
  const auto pairs = made.product(kVectors + kVectorsOfState * Index{options.states});
  const int at_once = static_cast<int>(
      among.ranks.minimum(base::preallocated_columns(backend, kVectorsOfLift * h.rows())));
  std::optional<ci::SpinShiftedOperator> lifted;
  base::run_collectively(
      among.ranks, [&] { lifted.emplace(h, *pairs, lift_, kLift * width_, backend, at_once); });
  solver::Result result =
      solver::solve({*lifted, backend, among.ranks, among.layout}, options, observer, start);
  // A component r / width of other spins shifts the energy by r^2 / width.
  const double lifted_by = options.tolerance * options.tolerance / width_;
  if (!result.converged() || lifted_by > result.rounding) claim_unlifted(h, among.ranks, result);
  if (wanted > options.states)
    result.note = base::concat(wanted, " states were requested, but only ", count_,
                               " have this spin", result.note.empty() ? "" : "; ", result.note);
  return result;
}

}  // namespace cisolve::job
