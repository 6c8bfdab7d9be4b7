#include "solver/methods/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "solver/basis/residual_floor.hpp"
#include "solver/search/known_upper_space.hpp"
#include "solver/task/error_bounds.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/orthogonalise.hpp"
#include "solver/vectors/tridiagonal.hpp"

namespace cisolve::solver {
namespace {

constexpr double kMargin = 0.5;  // part of the tolerance, since residuals will be recomputed
constexpr double kRoundingShare = 0.01;  // part of the tolerance: allowed rounding error
constexpr double kStirred = 0.1;         // part of the tolerance: noise added to each new direction
/// Relative to a product: a smaller remainder is rounding error.
constexpr double kInvariant = 1e-10;
constexpr double kLost = 0.1;  // a smaller ratio calls for another pass
constexpr int kMostLooks = 5;
constexpr int kColumnsALook = 32;         // steps between convergence checks grow with the basis
constexpr std::uint64_t kOfStirring = 7;  // distinguishes its random vectors from start vectors

TridiagonalForm::LastElements last_elements_of(const EigenPairs& pairs) {
  TridiagonalForm::LastElements found{pairs.values, {}};
  for (int j = 0; j < pairs.vectors.columns(); ++j)
    found.last.push_back(pairs.vectors(pairs.vectors.rows() - 1, j));
  return found;
}

int kept_by_lanczos(const Sizes& sizes) {
  const int middle = sizes.states + (sizes.krylov - sizes.states) * 3 / 5;
  return std::max(1, std::min({middle, sizes.krylov - 2, sizes.capacity}));  // limit of rotate()
}

class Lanczos final : public CheckpointSource {
 public:
  explicit Lanczos(const Task& task)
      : task_(task),
        basis_(task.vectors.make(task.sizes.krylov, "the Lanczos basis")),
        noise_(task.vectors.make(1, "noise for the Lanczos basis")),
        kept_(kept_by_lanczos(task.sizes)) {}

  LanczosResult run(const Checkpoint* start);
  Snapshot snapshot() override;
  const base::Communicator& ranks() const override { return task_.vectors.ranks(); }

 private:
  void go_on_from(const Checkpoint& start);
  void add_random();
  void step();
  void multiply(ConstColumns q, Columns w);
  double shift_for(double energy) const;
  double shift() const { return shift_.value_or(0); }
  std::vector<double> shifted_back(std::vector<double> values) const;
  std::optional<LanczosRemainder> rest();
  std::pair<double, double> orthogonalise_next(Columns w, std::vector<double>& against);
  void update_ritz_values();
  /// Ritz pairs of the current T, with vectors; not needed for convergence checks.
  const EigenPairs& ritz();
  bool converged() const;
  void restart();
  void measure_rounding(const EigenPairs& pairs);
  bool report(bool last);

  int free_columns() const { return basis_.columns() - size_ - last_; }
  bool is_due(int step) const {
    return free_columns() == 0 || last_ == 0 || step % (1 + size_ / kColumnsALook) == 0;
  }
  double size_of_noise() const { return kStirred * task_.options.tolerance; }

  const Task& task_;
  const base::Stopwatch watch_;

  // (A - shift) V = V T + coupling q e^T: V is the first size_ columns, q the next one if last_ is
  // 1, e the last unit vector.
  base::MultiVector basis_;
  base::MultiVector noise_;
  int kept_;                     // Ritz vectors kept by a restart
  SmallMatrix projected_{0, 0};  // T
  double coupling_ = 0;
  std::optional<double> shift_;
  int size_ = 0;
  int last_ = 0;
  // A random vector was added to an invariant subspace since the last restart.
  bool has_random_vector_ = false;
  std::optional<EigenPairs> ritz_;  // computed on request
  std::vector<double> values_;      // all Ritz values at the last check
  std::vector<double> residuals_;
  ResidualFloor floor_;  // floor of the largest residual
  bool is_at_floor_ = false;
  std::uint64_t randoms_ = 0;
  LanczosResult result_{.states = {base::MultiVector(task_.backend(), 0, 0), {}}};
};

LanczosResult Lanczos::run(const Checkpoint* start) {
  if (start != nullptr) go_on_from(*start);
  if (last_ == 0) add_random();
  const int first = result_.states.iterations;
  for (int& steps = result_.states.iterations;; ++steps) {
    const bool at_limit = steps - first >= task_.options.max_iterations;
    if (is_due(steps) || at_limit) {
      update_ritz_values();
      const bool done = converged();
      const bool goes_on = report(at_limit && !done);
      result_.ended = !goes_on || (at_limit && !done);
      if (result_.ended || done) break;
    }
    if (free_columns() == 0) restart();  // V = V s
    step();                              // V = [V, q], coupling q = A q - V T
  }
  const SearchEffort search = task_.options.search;
  const int found =
      std::min(most_lanczos_states(task_.sizes.states, task_.sizes.guards, search), size_);
  base::MultiVector states = task_.vectors.make(found, "the Lanczos states");
  if (found > 0)
    task_.vectors.update(1, columns_of(basis_, 0, size_), columns_of(ritz().vectors, 0, found), 0,
                         states);
  result_.states.basis = std::move(states);
  result_.states.layout = task_.vectors.layout();
  if (search != SearchEffort::none && !result_.ended) result_.rest = rest();
  return std::move(result_);
}

/// Copies the remainder, because a search space with images replaces this basis.
std::optional<LanczosRemainder> Lanczos::rest() {
  const int states = task_.sizes.states;
  const int count = std::min(KnownUpperSpace::kMost, size_ - states);
  if (count <= 0 || last_ == 0) return std::nullopt;
  if (!task_.vectors.have_memory_for(2 * task_.sizes.capacity - basis_.columns() + count + 1))
    return std::nullopt;
  LanczosRemainder rest{task_.vectors.make(count + 1, "the Ritz vectors above the states"),
                        ritz().values.back() + shift()};
  task_.vectors.update(1, columns_of(basis_, 0, size_), columns_of(ritz().vectors, states, count),
                       0, columns_of(rest.vectors, 0, count));
  task_.vectors.copy(columns_of(basis_, size_, 1), columns_of(rest.vectors, count, 1));
  for (int j = states; j < states + count; ++j) {
    rest.values.push_back(ritz().values[j] + shift());
    rest.couplings.push_back(coupling_ * ritz().vectors(size_ - 1, j));
  }
  return rest;
}

/// (A - shift) V = V T + q c^T with unknown c, which the first step finds. If the vectors belong to
/// another matrix, the final residuals show it.
void Lanczos::go_on_from(const Checkpoint& start) {
  result_.states.iterations = start.iterations;
  task_.matrix.continue_from(task_.matrix.products() + start.products);
  const auto size = static_cast<int>(std::ssize(start.energies));
  const Columns all = columns_of(basis_, 0, size + 1);
  task_.vectors.from(start.basis, start.layout, all);
  if (orthogonalise(task_.vectors, columns_of(basis_, 0, 0), all) <= size) return;
  size_ = size;
  last_ = 1;
  shift_ = shift_for(start.energies.front());
  coupling_ = std::numeric_limits<double>::quiet_NaN();
  projected_ = SmallMatrix(size, size);
  for (int j = 0; j < size; ++j) projected_(j, j) = start.energies[j] - shift();
}

/// Adds a random vector q, not coupled to V; none if V spans the whole space.
void Lanczos::add_random() {
  const Columns q = columns_of(basis_, size_, 1);
  task_.setup.fill_krylov_start(base::mix(task_.options.seed, randoms_++), q);
  last_ = orthogonalise(task_.vectors, columns_of(basis_, 0, size_), q);
  has_random_vector_ = size_ > 0;
}

/// A shift keeps rounding errors of the size of A out of T and restarts; used if these exceed a
/// small fraction of the tolerance.
double Lanczos::shift_for(double energy) const {
  return rounding_of_residuals(std::abs(energy)) > kRoundingShare * task_.options.tolerance ? energy
                                                                                            : 0;
}

/// w = (A - shift) q
void Lanczos::multiply(ConstColumns q, Columns w) {
  task_.matrix.apply(q, w);
  if (!shift_) shift_ = shift_for(task_.vectors.gram(q, w)(0, 0));
  if (*shift_ != 0) task_.vectors.axpy(-*shift_, q, w);
}

std::vector<double> Lanczos::shifted_back(std::vector<double> values) const {
  for (double& value : values) value += shift();
  return values;
}

void Lanczos::step() {
  ritz_.reset();
  const int before = size_++;
  const Columns w = columns_of(basis_, size_, 1);
  multiply(columns_of(basis_, before, 1), w);
  std::vector<double> against(size_, 0.0);
  const auto [product, left] = orthogonalise_next(w, against);
  coupling_ = left;
  if (!std::isfinite(product) || !std::isfinite(coupling_))
    base::fail(base::ErrorKind::bad_input, "the operator gives products that are infinite or NaN");
  SmallMatrix grown(size_, size_);
  for (int b = 0; b < before; ++b)
    for (int a = 0; a < before; ++a) grown(a, b) = projected_(a, b);
  for (int a = 0; a < size_; ++a) grown(a, before) = grown(before, a) = against[a];
  projected_ = std::move(grown);
  last_ = 1;
  const double rounding = rounding_of_residuals(std::abs(shift()));
  if (coupling_ > std::max({2 * size_of_noise(), kInvariant * product, rounding})) {
    task_.vectors.scale(1 / coupling_, w);
    return;
  }
  coupling_ = 0;  // an invariant subspace: continue in its complement
  last_ = 0;
  if (size_ < task_.vectors.dimension()) add_random();
}

/// Orthogonalises w against V, adds the coefficients to `against`, and returns |w| before and
/// after: first against the last two vectors, as the recurrence predicts, so that one full pass
/// usually suffices. In between adds noise of the size of the tolerance: a state absent from the
/// start, such as the second of a degenerate pair, then appears in half the time that rounding
/// errors would take.
std::pair<double, double> Lanczos::orthogonalise_next(Columns w, std::vector<double>& against) {
  const auto take = [&](int first) {
    const Projection taken =
        project_out(task_.vectors, columns_of(basis_, first, size_ - first), w);
    for (int i = first; i < size_; ++i) against[i] += taken.overlap(i - first, 0);
    return taken;
  };
  const double product = take(std::max(0, size_ - 2)).before;
  task_.vectors.randomise(base::mix(task_.options.seed + kOfStirring, result_.states.iterations),
                          noise_);
  // For elements uniform in (-1, 1) the expected squared norm is a third of the dimension.
  const double norm = std::sqrt(static_cast<double>(task_.vectors.dimension()) / 3);
  task_.vectors.axpy(size_of_noise() / norm, noise_, w);
  double left = 0;
  for (int look = 0; look < kMostLooks; ++look) {
    const Projection taken = take(0);
    left = taken.after ? *taken.after : task_.vectors.norms(w)[0];
    if (left >= kLost * taken.before) break;
  }
  return {product, left};
}

/// Solves T s = theta s for the Ritz values; residual norms are |coupling s|.
void Lanczos::update_ritz_values() {
  residuals_.assign(task_.sizes.states, std::numeric_limits<double>::quiet_NaN());
  values_.clear();
  if (size_ == 0) return;
  auto found = TridiagonalForm(projected_).last_elements();
  if (!found) found = last_elements_of(ritz());
  values_ = shifted_back(std::move(found->values));
  result_.largest_ritz =
      std::max({result_.largest_ritz, std::abs(values_.front()), std::abs(values_.back())});
  result_.spread = std::max(result_.spread, values_.back() - values_.front());
  for (int j = 0; j < std::min(task_.sizes.states, size_); ++j)
    residuals_[j] = std::abs(coupling_ * found->last[j]);
  if (size_ >= task_.sizes.states)
    floor_.record_residual(0, *std::ranges::max_element(residuals_), 0);
}

const EigenPairs& Lanczos::ritz() {
  if (!ritz_) ritz_ = symmetric_eigen(projected_);
  return *ritz_;
}

bool Lanczos::converged() const {
  if (last_ == 0 || is_at_floor_) return true;
  if (size_ < task_.sizes.states || (has_random_vector_ && free_columns() > 0)) return false;
  const double size = std::max(std::abs(values_.front()), std::abs(values_.back()));
  const double enough = std::max(kMargin * task_.options.tolerance, rounding_of_residuals(size));
  return std::ranges::all_of(residuals_, [=](double residual) { return residual <= enough; });
}

void Lanczos::restart() {
  const EigenPairs pairs = ritz();
  const int old_size = size_;
  size_ = std::min(kept_, old_size);
  task_.vectors.rotate(columns_of(basis_, 0, old_size), columns_of(pairs.vectors, 0, size_));
  task_.vectors.copy(columns_of(basis_, old_size, 1), columns_of(basis_, size_, 1));
  projected_ = SmallMatrix(size_, size_);
  for (int j = 0; j < size_; ++j) projected_(j, j) = pairs.values[j];
  ritz_.reset();
  has_random_vector_ = false;
  ++result_.restarts;
  if (last_ > 0 && floor_.needs_measurement()) measure_rounding(pairs);
}

/// Measures |(A - shift) x - theta x - coupling s q| of the Ritz vector x with the largest
/// residual.
void Lanczos::measure_rounding(const EigenPairs& pairs) {
  const auto largest = std::ranges::max_element(residuals_) - residuals_.begin();
  const auto j = static_cast<int>(largest);
  const double coupling = coupling_ * pairs.vectors(pairs.vectors.rows() - 1, j);
  const ConstColumns x = columns_of(basis_, j, 1);
  multiply(x, noise_);
  task_.vectors.axpy(-pairs.values[j], x, noise_);
  task_.vectors.axpy(-coupling, columns_of(basis_, size_, 1), noise_);
  floor_.measured(task_.vectors.norms(noise_)[0]);
  is_at_floor_ = floor_.value() > 0;
}

bool Lanczos::report(bool last) {
  std::vector<double> energies(task_.sizes.states, std::numeric_limits<double>::quiet_NaN());
  std::copy_n(values_.begin(), std::min(task_.sizes.states, size_), energies.begin());
  const int steps = result_.states.iterations;
  result_.history.push_back({steps, size_, task_.matrix.products(), false, energies, residuals_});
  result_.stopped = !task_.goes_on({steps, size_, task_.matrix.products(), false, energies,
                                    residuals_, watch_.seconds(), task_.matrix.seconds(),
                                    task_.matrix.bytes_per_second(), *this, last});
  return !result_.stopped;
}

/// The Ritz vectors and the vector that carries their residuals.
Snapshot Lanczos::snapshot() {
  // Keeps as many vectors as Davidson can hold.
  const int most = task_.sizes.capacity - task_.sizes.width - last_;
  const int kept = std::min({kept_, size_, std::max(most, task_.sizes.states)});
  const EigenPairs& pairs = ritz();
  SmallMatrix s(size_ + last_, kept + last_);
  for (int j = 0; j < kept; ++j)
    for (int i = 0; i < size_; ++i) s(i, j) = pairs.vectors(i, j);
  for (int j = 0; j < last_; ++j) s(size_ + j, kept + j) = 1;
  return {task_.vectors,
          columns_of(basis_, 0, size_ + last_),
          std::move(s),
          shifted_back({pairs.values.begin(), pairs.values.begin() + kept}),
          result_.states.iterations,
          task_.matrix.products()};
}

}  // namespace

bool has_columns_for_lanczos(const Sizes& sizes, Index dimension) {
  if (sizes.basis_storage != BasisStorage::full)
    return false;  // Lanczos multiplies its basis, so it cannot be staged
  if (sizes.is_full) return false;
  return sizes.capacity >= std::min<Index>(dimension + 1, sizes.states + 2);
}

bool was_of_lanczos(const Checkpoint& checkpoint, const Sizes& sizes) {
  const Index size = std::ssize(checkpoint.energies);
  return checkpoint.basis.columns() == size + 1 && size > sizes.states + sizes.guards &&
         size + 2 <= sizes.capacity;
}

LanczosResult lanczos(const Task& task, const Checkpoint* start) {
  return Lanczos(task).run(start);
}

}  // namespace cisolve::solver
