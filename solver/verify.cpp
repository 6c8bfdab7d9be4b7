#include "solver/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "solver/dense.hpp"
#include "solver/inertia.hpp"
#include "solver/solve.hpp"

namespace cisolve::solver {
namespace {

constexpr double kHonestLoss = 1e-12;  // of the largest energy: what honest arithmetic loses
constexpr double kSlack = 1.5;         // a residual recomputed may exceed the one that was accepted

class Verifier {
 public:
  Verifier(const Problem& problem, std::span<const double> energies, ConstBlock x,
           std::optional<double> next, const VerifyOptions& options)
      : problem_(problem),
        energies_(energies),
        x_(x),
        next_(next),
        options_(options),
        vectors_(problem.backend, problem.reduction, problem.matrix.rows(), 1),
        matrix_(problem) {
    for (const double energy : energies) scale_ = std::max(scale_, std::abs(energy));
    if (x.rows != problem.matrix.rows() || x.columns != std::ssize(energies))
      base::fail(base::Fault::usage, energies.size(), " energies and ", x.columns, " vectors of ",
                 x.rows, " rows for a matrix of ", problem.matrix.rows(), " rows");
  }

  Verification run() {
    check_orthonormality();
    check_residuals();
    check_order();
    fill_bounds();
    if (!energies_.empty()) check_completeness();
    found_.passed = found_.failures.empty();
    return std::move(found_);
  }

 private:
  template <class... Parts>
  void report(const Parts&... parts) {
    found_.failures.push_back(base::concat(parts...));
  }

  void check_orthonormality() {
    const SmallMatrix g = vectors_.gram(x_, x_);
    for (int b = 0; b < g.columns(); ++b)
      for (int a = 0; a < g.rows(); ++a) {
        const double error = std::abs(g(a, b) - (a == b ? 1 : 0));
        if (!(error <= found_.orthogonality)) found_.orthogonality = error;
      }
    if (!(found_.orthogonality <= options_.orthogonality))
      report("the vectors are orthonormal to ", found_.orthogonality, ", not to ",
             options_.orthogonality);
  }

  void check_residuals() {
    const Backend& backend = problem_.backend;
    base::MultiVector work(backend, x_.rows, 1, "a vector of the verification");
    const double allowed = kSlack * options_.tolerance + kHonestLoss * scale_;
    for (int j = 0; j < x_.columns; ++j) {
      const ConstBlock x = x_.slice(j, 1);
      matrix_.apply(x, work.block());
      VerifiedState state;
      state.rayleigh_quotient = vectors_.gram(x, work.block())(0, 0) / vectors_.gram(x, x)(0, 0);
      const double factor = -energies_[j];
      vectors_.blocks().axpy(backend, {&factor, 1}, x, work.block());
      state.residual = vectors_.norms(work.block())[0];
      if (!(state.residual <= found_.max_residual)) found_.max_residual = state.residual;
      if (!(state.residual <= allowed))
        report("state ", j + 1, " has a residual of ", state.residual, ", more than ", allowed);
      const double difference = std::abs(state.rayleigh_quotient - energies_[j]);
      if (!(difference <= kHonestLoss * std::max(scale_, 1.0)))
        report("state ", j + 1, " has the energy ", energies_[j], " and the Rayleigh quotient ",
               state.rayleigh_quotient);
      found_.states.push_back(state);
    }
  }

  void check_order() {
    for (std::size_t j = 1; j < energies_.size(); ++j)
      if (!(energies_[j] >= energies_[j - 1]))
        report("state ", j + 1, " with the energy ", energies_[j], " lies below state ", j);
  }

  void fill_bounds() {
    for (std::size_t j = 0; j < found_.states.size(); ++j) {
      VerifiedState& state = found_.states[j];
      double gap = std::numeric_limits<double>::infinity();
      if (j > 0) gap = std::min(gap, energies_[j] - energies_[j - 1]);
      if (j + 1 < energies_.size()) gap = std::min(gap, energies_[j + 1] - energies_[j]);
      if (next_ && j + 1 == energies_.size()) gap = std::min(gap, *next_ - energies_[j]);
      state.residual_bound = state.residual;
      const bool known = std::isfinite(gap) && gap > state.residual;
      state.quadratic_bound =
          known ? state.residual * state.residual / gap : std::numeric_limits<double>::infinity();
    }
  }

  void check_completeness() {
    const Index rows = problem_.matrix.rows();
    if (vectors_.total(rows) == rows && rows <= options_.certify_limit)
      count_states();
    else if (options_.search)
      search_for_missed();
  }

  /// Below a shift just under the highest state lie as many eigenvalues as states.
  void count_states() {
    const auto dense = dense_matrix(matrix_, vectors_);
    const Tridiagonal t = tridiagonal_of(dense, problem_.matrix.rows());
    const double shift = shift_below_states();
    const Index there = count_below(t, shift);
    const Index ours = std::ranges::count_if(energies_, [=](double e) { return e < shift; });
    if (there == ours) {
      found_.completeness = Completeness::certified;
      count_beyond_states(t);
    } else {
      report(there, " eigenvalues lie below ", shift, " where ", ours, " states are given");
    }
  }

  void count_beyond_states(const Tridiagonal& t) {
    const double width =
        width_of_an_energy(options_.tolerance, 8 * std::numeric_limits<double>::epsilon() * scale_);
    const Index there = count_below(t, energies_.back() + width);
    found_.beyond = {static_cast<int>(there - std::ssize(energies_)), true, width};
  }

  /// A little below the highest state, and not on another one.
  double shift_below_states() const {
    const double step = 10 * options_.tolerance + kHonestLoss * scale_;
    double shift = energies_.back() - step;
    while (std::ranges::any_of(energies_, [=](double e) { return std::abs(e - shift) < step / 4; }))
      shift -= step;
    return shift;
  }

  /// Goes on from the states: a lower one, if there is one, takes the place of the highest.
  void search_for_missed() {
    Options options;
    options.states = static_cast<int>(energies_.size());
    options.tolerance = options_.tolerance;
    options.method = Method::davidson;
    const Checkpoint start{base::MultiVector::copy_of(problem_.backend, x_, problem_.backend)};
    const Result again = solve(problem_, options, nullptr, &start);
    const double allowed = 10 * options_.tolerance + kHonestLoss * scale_;
    for (std::size_t j = 0; j < energies_.size(); ++j)
      if (again.states[j].energy < energies_[j] - allowed) {
        report("a search finds state ", j + 1, " at ", again.states[j].energy, ", below ",
               energies_[j]);
        return;
      }
    found_.completeness = again.completeness;
  }

  const Problem& problem_;
  std::span<const double> energies_;
  ConstBlock x_;
  std::optional<double> next_;
  const VerifyOptions& options_;
  Vectors vectors_;
  MeteredOperator matrix_;
  double scale_ = 0;
  Verification found_;
};

}  // namespace

Verification verify(const Problem& problem, std::span<const double> energies, ConstBlock vectors,
                    const VerifyOptions& options) {
  return Verifier(problem, energies, vectors, std::nullopt, options).run();
}

Verification verify(const Problem& problem, const Result& result, const VerifyOptions& options) {
  return verify(problem, result, result.vectors.block(), options);
}

Verification verify(const Problem& problem, const Result& result, ConstBlock vectors,
                    const VerifyOptions& options) {
  std::vector<double> energies;
  for (const State& state : result.states) energies.push_back(state.energy);
  Verification found = Verifier(problem, energies, vectors, result.next, options).run();
  if (found.completeness == Completeness::not_checked) found.completeness = result.completeness;
  if (!found.beyond.counted) found.beyond = result.beyond;
  return found;
}

}  // namespace cisolve::solver
