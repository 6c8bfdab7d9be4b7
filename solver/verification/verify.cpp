#include "solver/verification/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/text.hpp"
#include "solver/methods/dense.hpp"
#include "solver/methods/solve.hpp"
#include "solver/task/cut_multiplet.hpp"
#include "solver/task/error_bounds.hpp"
#include "solver/task/same_inputs.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/inertia.hpp"

namespace cisolve::solver {
namespace {

constexpr double kHonestLoss = 1e-12;  // expected rounding error, relative to the largest energy
constexpr int kMostAtOnce = 8;         // vectors per product
constexpr double kSlack = 1.5;         // allowed ratio of recomputed to accepted residual

class Verifier {
 public:
  Verifier(const Problem& problem, std::span<const double> energies, ConstColumns x,
           std::optional<double> next, const VerifyOptions& options)
      : problem_(problem),
        energies_(energies),
        x_(x),
        next_(next),
        options_(options),
        vectors_(problem.backend, problem.communicator, layout_of(problem), 1),
        matrix_(problem),
        rounding_(options.rounding) {
    for (const double energy : energies) scale_ = std::max(scale_, std::abs(energy));
    if (x.rows() != problem.matrix.rows() || x.count() != std::ssize(energies))
      base::fail(base::ErrorKind::usage, energies.size(), " energies and ", x.count(),
                 " vectors of ", x.rows(), " rows for a matrix of ", problem.matrix.rows(),
                 " rows");
  }

  Verification run() {
    require_same_claims();
    found_.by = problem_.matrix.description().format;
    check_orthonormality();
    check_residuals();
    check_order();
    fill_bounds();
    if (!energies_.empty() && options_.lowest) check_completeness();
    if (!energies_.empty() && options_.near && can_count()) count_near(*options_.near);
    found_.fail({});
    return std::move(found_);
  }

 private:
  template <class... Parts>
  void report(const Parts&... parts) {
    found_.failures.push_back(base::concat(parts...));
  }

  void require_same_claims() const {
    Fingerprint print;
    print.take(options_.tolerance, options_.orthogonality, options_.certify_limit, options_.search,
               options_.lowest, options_.near.has_value(), options_.near.value_or(0),
               options_.rounding, next_.value_or(0));
    print.take_all(energies_);
    print.take_all(options_.rows);
    require_same(problem_, print, "energies and options of a verification");
  }

  void check_orthonormality() {
    const SmallMatrix g = vectors_.gram(x_, x_);
    for (int b = 0; b < g.columns(); ++b)
      for (int a = 0; a < g.rows(); ++a) {
        const double error = std::abs(g(a, b) - (a == b ? 1 : 0));
        if (error > found_.orthogonality || std::isnan(error)) found_.orthogonality = error;
      }
    if (!(found_.orthogonality <= options_.orthogonality))
      report("the vectors are orthonormal to ", found_.orthogonality, ", not to ",
             options_.orthogonality);
  }

  /// The number of columns that fit: an operator that computes its elements does so once for all
  /// columns.
  int columns_at_once() const {
    int columns = std::clamp(x_.count(), 1, kMostAtOnce);
    while (columns > 1 && !vectors_.have_memory_for(columns)) columns /= 2;
    return columns;
  }

  /// Retries with fewer columns, since a device may have less than its budget.
  base::MultiVector make_images() const {
    for (int columns = columns_at_once();; columns /= 2) try {
        return vectors_.make(columns, "the vectors of the verification");
      } catch (const base::DeviceMemoryError&) {
        if (columns == 1) throw;
      }
  }

  void check_residuals() {
    base::MultiVector work = make_images();
    const int width = work.columns();
    found_.scale = size_of_diagonal(Columns(work).slice(0, 1));
    note_size(found_.scale);
    found_.products = SmallMatrix(static_cast<int>(options_.rows.size()), x_.count());
    for (int first = 0; first < x_.count(); first += width) {
      const int count = std::min(width, x_.count() - first);
      const Columns images = Columns(work).slice(0, count);
      matrix_.apply(x_.slice(first, count), images);
      if (!options_.rows.empty()) report_products(images, first);
      for (int j = 0; j < count; ++j) check_residual(first + j, images.slice(j, 1));
    }
  }

  void report_products(ConstColumns images, int first) {
    SmallMatrix values(found_.products.rows(), images.count());
    vectors_.gather(images, options_.rows, values);
    std::ranges::copy(values.values(),
                      found_.products.values().begin() + Index{first} * values.rows());
  }

  /// `image` is H x on entry, the residual on exit.
  void check_residual(int j, Columns image) {
    const ConstColumns x = x_.slice(j, 1);
    const double allowed = kSlack * options_.tolerance + kHonestLoss * scale_;
    VerifiedState state;
    state.rayleigh_quotient = vectors_.gram(x, image)(0, 0) / vectors_.gram(x, x)(0, 0);
    vectors_.axpy(-energies_[j], x, image);
    state.residual = vectors_.norms(image)[0];
    if (state.residual > found_.max_residual || std::isnan(state.residual))
      found_.max_residual = state.residual;
    if (!(state.residual <= allowed))
      report("state ", j + 1, " has a residual of ", state.residual, ", more than ", allowed);
    const double difference = std::abs(state.rayleigh_quotient - energies_[j]);
    if (!(difference <= std::max(kHonestLoss * std::max(scale_, 1.0), rounding_)))
      report("state ", j + 1, " has the energy ", energies_[j], ", but the Rayleigh quotient ",
             state.rayleigh_quotient);
    found_.states.push_back(state);
  }

  void check_order() {
    for (std::size_t j = 1; j < energies_.size(); ++j)
      if (!(energies_[j] >= energies_[j - 1]))
        report("state ", j + 1, " with the energy ", energies_[j], " lies below state ", j);
  }

  /// Largest |diagonal element|, if known; overwrites `d`.
  double size_of_diagonal(Columns d) const {
    if (vectors_.dimension() == 0 || !matrix_.diagonal(d)) return scale_;
    const Extrema extrema = vectors_.extrema(d);
    return std::max({scale_, std::abs(extrema.lowest), std::abs(extrema.largest)});
  }

  void note_size(double size) {
    rounding_ = std::max(rounding_, rounding_of_energies(vectors_.dimension(), size));
  }

  void fill_bounds() {
    const std::vector<double> energies(energies_.begin(), energies_.end());
    std::vector<double> residuals;
    for (const VerifiedState& state : found_.states) residuals.push_back(state.residual);
    const auto bounds = error_bounds(energies, residuals, rounding_);
    const auto estimates =
        options_.lowest ? error_estimates(energies, residuals, next_, rounding_) : bounds;
    for (std::size_t j = 0; j < found_.states.size(); ++j) {
      found_.states[j].error_bound = bounds[j];
      found_.states[j].error_estimate = estimates[j];
    }
  }

  void check_completeness() {
    if (can_count())
      count_states();
    else if (options_.search)
      search_for_missed();
  }

  /// Whether every rank's host has memory for the dense matrix; if not, the states are kept
  /// uncounted. On a device, the host counts.
  bool can_count() const {
    const Index rows = vectors_.dimension();
    return rows <= options_.certify_limit &&
           vectors_.ranks().all_true(host_has_memory_for_dense(problem_.backend, rows, 0));
  }

  /// Checks that within slightly less than the distance of the farthest state there are as many
  /// eigenvalues as states.
  void count_near(double energy) {
    const Tridiagonal t =
        tridiagonal_of(dense_matrix(matrix_, vectors_, rounding_), vectors_.dimension());
    double radius = 0;
    for (const double e : energies_) radius = std::max(radius, std::abs(e - energy));
    radius -= step_off_states();
    const auto at_the_rim = [&](double e) {
      return std::abs(std::abs(e - energy) - radius) < step_off_states() / 4;
    };
    while (std::ranges::any_of(energies_, at_the_rim)) radius = below(radius, step_off_states());
    const Index counted =
        radius < 0 ? 0 : count_below(t, energy + radius) - count_below(t, energy - radius);
    const Index ours =
        std::ranges::count_if(energies_, [=](double e) { return std::abs(e - energy) < radius; });
    if (counted != ours)
      return report(counted, " eigenvalues lie nearer to ", energy, " than ", radius, ", but only ",
                    ours, " states were found there");
    found_.completeness = Completeness::certified;
  }

  /// Checks that below a shift just under the highest state there are as many eigenvalues as
  /// states.
  void count_states() {
    const auto dense = dense_matrix(matrix_, vectors_, rounding_);
    const Tridiagonal t = tridiagonal_of(dense, vectors_.dimension());
    const double shift = shift_below_states();
    const Index counted = count_below(t, shift);
    const Index ours = std::ranges::count_if(energies_, [=](double e) { return e < shift; });
    if (counted != ours)
      return report(counted, " eigenvalues lie below ", shift, ", but only ", ours,
                    " states were found there");
    found_.completeness = Completeness::certified;
    count_beyond_states(t);
    note_size(largest_element(t));
    for (std::size_t j = 0; j < energies_.size(); ++j) count_bound(t, j);
  }

  void count_beyond_states(const Tridiagonal& t) {
    const double width =
        degeneracy_width(options_.tolerance, 8 * std::numeric_limits<double>::epsilon() * scale_);
    const Index counted = count_below(t, energies_.back() + width);
    found_.beyond = {static_cast<int>(counted - std::ssize(energies_)), true, width};
  }

  /// Eigenvalue j lies in an interval around its energy if at most j eigenvalues lie below the
  /// interval and more than j below its end: no gap need be known. Counted are eigenvalues of the
  /// tridiagonal matrix, similar to A up to rounding.
  void count_bound(const Tridiagonal& t, std::size_t j) {
    const double energy = energies_[j];
    const auto number = static_cast<Index>(j);
    double reach = rounding_;
    const auto holds = [&] {
      return count_below(t, energy - reach) <= number && count_below(t, energy + reach) > number;
    };
    while (std::isfinite(reach) && !holds()) reach *= 2;
    found_.states[j].error_bound = reach + rounding_;
    found_.states[j].error_estimate = std::min(found_.states[j].error_estimate, reach + rounding_);
  }

  static double largest_element(const Tridiagonal& t) {
    double largest = 0;
    for (const auto* part : {&t.diagonal, &t.off_diagonal})
      for (const double value : *part) largest = std::max(largest, std::abs(value));
    return largest;
  }

  /// value - step, or the next smaller double.
  static double below(double value, double step) {
    return std::min(value - step, std::nextafter(value, -std::numeric_limits<double>::infinity()));
  }

  double step_off_states() const { return 10 * options_.tolerance + kHonestLoss * scale_; }

  /// Slightly below the highest state, and not on another one.
  double shift_below_states() const {
    const double step = step_off_states();
    double shift = energies_.back() - step;
    while (std::ranges::any_of(energies_, [=](double e) { return std::abs(e - shift) < step / 4; }))
      shift = below(shift, step);
    return shift;
  }

  /// Continues from the states: a lower one, if any, replaces the highest.
  void search_for_missed() {
    Options options;
    options.states = static_cast<int>(energies_.size());
    options.tolerance = options_.tolerance;
    options.method = Method::davidson;
    Checkpoint start{vectors_.make(x_.count(), "a copy of the states"), vectors_.layout()};
    vectors_.copy(x_, start.basis);
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
  ConstColumns x_;
  std::optional<double> next_;
  const VerifyOptions& options_;
  Vectors vectors_;
  MeteredOperator matrix_;
  double scale_ = 0;  // the largest energy
  double rounding_;   // rounding error of an energy
  Verification found_;
};

Verification verify_together(const Problem& problem, std::span<const double> energies,
                             ConstColumns vectors, std::optional<double> next,
                             const VerifyOptions& options) {
  return base::abort_peers_on_error(problem.communicator, [&] {
    return Verifier(problem, energies, vectors, next, options).run();
  });
}

/// Rejects a different layout, in which correct vectors would fail.
void require_layout(const Problem& problem, const base::Layout& claimed) {
  const base::Layout layout = layout_of(problem);
  base::run_collectively(problem.communicator, [&] {
    if (claimed != layout)
      base::fail(base::ErrorKind::usage,
                 "the result and the matrix that verifies it have different ",
                 "layouts; expected the same layout");
  });
}

}  // namespace

void Verification::fail(const std::vector<std::string>& reasons) {
  failures.insert(failures.end(), reasons.begin(), reasons.end());
  passed = failures.empty();
}

Verification verify(const Problem& problem, std::span<const double> energies, ConstColumns vectors,
                    const VerifyOptions& options) {
  return verify_together(problem, energies, vectors, std::nullopt, options);
}

Verification verify(const Problem& problem, const Result& result, const VerifyOptions& options) {
  return verify(problem, result, result.vectors, options);
}

Verification verify(const Problem& problem, const Result& result, ConstColumns vectors,
                    const VerifyOptions& options) {
  base::abort_peers_on_error(problem.communicator, [&] { require_layout(problem, result.layout); });
  std::vector<double> energies;
  for (const State& state : result.states) energies.push_back(state.energy);
  VerifyOptions of_result = options;
  of_result.rounding = std::max(options.rounding, result.rounding);
  of_result.lowest = options.lowest && result.are_lowest();
  of_result.near = result.near;
  Verification found = verify_together(problem, energies, vectors, result.next, of_result);
  if (found.completeness == Completeness::not_checked) found.completeness = result.completeness;
  if (!found.beyond.counted) found.beyond = result.beyond;
  return found;
}

}  // namespace cisolve::solver
