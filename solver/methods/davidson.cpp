#include "solver/methods/davidson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "solver/basis/ritz_basis.hpp"
#include "solver/basis/roots.hpp"
#include "solver/methods/correction.hpp"
#include "solver/methods/method_choice.hpp"
#include "solver/methods/start_vectors.hpp"
#include "solver/search/known_upper_space.hpp"
#include "solver/search/searches.hpp"
#include "solver/task/error_bounds.hpp"
#include "solver/task/snapshot.hpp"

namespace cisolve::solver {
namespace {

constexpr int kFirstMoves = 2;  // iterations whose directions are not worth saving

// Images in single precision: fraction of the tolerance that their error may reach, and largest
// ratio of a residual to that error at which they are recomputed.
constexpr double kOfTolerance = 0.1;
constexpr double kNearImageError = 30;

// Largest rounding error of images, as a fraction of the tolerance.
constexpr double kPrecision = 0.01;

SearchSpace::Kind kind_of(const Task& task) {
  const Sizes& sizes = task.sizes;
  SearchSpace::Kind kind{.capacity = sizes.capacity,
                         .basis_storage = sizes.basis_storage,
                         .exact = static_cast<int>(exact_columns(sizes.states, sizes.capacity)),
                         .workspace_columns = sizes.width,
                         .precision = kPrecision * task.options.tolerance};
  if (task.wanted == nullptr || !task.wanted->energy()) return kind;
  kind.shift = *task.wanted->energy();
  kind.squares = true;
  return kind;
}

class Davidson final : public CheckpointSource {
 public:
  explicit Davidson(const Task& task)
      : task_(task),
        dimension_(task.vectors.dimension()),
        basis_(task.matrix, task.vectors, kind_of(task), task.wanted, task.sizes.states),
        roots_(task, basis_),
        largest_ritz_(task.largest_ritz),
        searches_(task, dimension_, basis_, roots_, result_) {}

  bool begin(const Checkpoint* start, double* error);  // V = orth(start), A V, H = V^T A V
  Result run();
  Snapshot snapshot() override;
  const base::Communicator& ranks() const override { return task_.vectors.ranks(); }

 private:
  void update();
  void restart(int kept);                      // V = V [s, s_previous]
  void expand(const std::vector<int>& roots);  // V = orth[V, (M - theta)^-1 r]
  bool recompute_images(bool is_last);         // recomputes inaccurate images of states
  std::vector<int> inaccurate_images(bool is_last) const;
  void recompute_images(const std::vector<int>& roots);
  bool look_for_missed();
  void record();
  bool report(bool last = false);
  void record_beyond();
  void record_chosen();
  void record_near();
  void keep_upper_vectors();
  Result finish() &&;

  bool is_imprecise() const;
  std::vector<bool> finished_states() const;
  Status status_of(double residual, bool is_finished) const;

  const Task& task_;
  const Index dimension_;
  const base::Stopwatch watch_;
  RitzBasis basis_;
  Roots roots_;
  double largest_ritz_;  // magnitude of a Ritz value seen so far

  bool searching_ = false;
  bool exhausted_ = false;  // whether no direction is left
  bool stopped_ = false;    // whether the observer stopped the solve
  int recomputed_at_ = -1;  // iteration before which images were last recomputed
  Result result_{.vectors = base::MultiVector(task_.backend(), 0, 0)};
  Searches searches_;
};

// Vectors read or written per iteration, for a basis of size m and b directions: 2 m for residuals,
// 4 m for orthogonalisation, m for the new columns of H, and b products.
Result Davidson::run() {
  const int first = result_.iterations;
  while (true) {
    update();
    if (basis_.free_columns() < task_.sizes.width) {
      restart(task_.sizes.kept);
      roots_.measure_rounding();
    }
    const std::vector<int> roots = roots_.unfinished(searches_.product_budget());
    if (recompute_images(roots.empty())) continue;
    record();
    const bool at_limit = result_.iterations - first >= task_.options.max_iterations;
    const bool is_short = !roots.empty() && roots.front() < task_.sizes.states;
    if (!report(at_limit && is_short) || at_limit) break;
    if (roots.empty()) {
      if (!look_for_missed()) break;
      continue;
    }
    expand(roots);
    if (exhausted_) break;
    ++result_.iterations;
  }
  return std::move(*this).finish();
}

/// States whose residual is near the error of images in single precision; at the end, all whose
/// error exceeds the rounding floor, for the sake of their energies.
std::vector<int> Davidson::inaccurate_images(bool is_last) const {
  const std::vector<double> residuals = roots_.residuals();
  std::vector<int> found;
  for (int j = 0; j < task_.sizes.states; ++j) {
    const double image_error = basis_.image_error(j);
    const bool is_near = image_error > kOfTolerance * roots_.required_residual(j) &&
                         residuals[j] < kNearImageError * image_error;
    if (is_near || (is_last && image_error > roots_.rounding())) found.push_back(j);
  }
  return found;
}

/// Returns true if images were recomputed, at most once per iteration.
bool Davidson::recompute_images(bool is_last) {
  const std::vector<int> roots = inaccurate_images(is_last);
  if (roots.empty() || recomputed_at_ >= result_.iterations) return false;
  recomputed_at_ = result_.iterations;
  recompute_images(roots);
  return true;
}

void Davidson::recompute_images(const std::vector<int>& roots) {
  restart(task_.sizes.kept);
  basis_.recompute_images(roots);
}

/// Returns false if `error` is not null and its value favours Lanczos.
bool Davidson::begin(const Checkpoint* start, double* error) {
  const Sizes& sizes = task_.sizes;
  SearchSpace& space = basis_.space();
  const auto most = static_cast<int>(std::min<Index>(sizes.capacity - sizes.width, dimension_));
  StartVectors all(task_, space, start);
  const int wanted = std::min(all.count(), most);
  if (start != nullptr) {
    result_.iterations = start->iterations;
    task_.matrix.continue_from(task_.matrix.products() + start->products);
  }
  // Appends the start vectors in one step, unless the search space is staged.
  for (int before = 0; before < wanted && space.size() < most;) {
    const int free_columns = std::min(most - space.size(), space.free_columns());
    const int count = std::min(wanted - before, free_columns);
    const int starts = all.fill(before, count, free_columns);
    const int added = space.append(error == nullptr ? starts : std::min(kStartsForChoice, starts));
    if (error != nullptr) {
      *error = start_error(task_, basis_);
      if (prefers_lanczos(task_, *error)) return false;
      space.append(starts - added);
    }
    before += count;
  }
  for (int seed = 1; space.size() < sizes.states && seed < sizes.states + 9; ++seed) {
    const int missing = std::min(sizes.states - space.size(), space.free_columns());
    task_.setup.fill_random(base::mix(task_.options.seed, static_cast<std::uint64_t>(seed)), 0,
                            space.free_basis(missing));
    space.append(missing);
  }
  if (space.size() < sizes.states)
    base::fail(base::ErrorKind::internal, "fewer than ", sizes.states,
               " independent start vectors were found");
  return true;
}

void Davidson::update() {
  basis_.update();
  largest_ritz_ = std::max(largest_ritz_, basis_.largest());
}

void Davidson::restart(int kept) {
  roots_.restart(kept);
  ++result_.restarts;
}

void Davidson::expand(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  SearchSpace& space = basis_.space();
  const SmallMatrix s = basis_.coefficients(roots);
  std::vector<double> shifts;
  for (const int root : roots) shifts.push_back(basis_.values()[root]);
  const Preconditioner& preconditioner = task_.setup.preconditioner();
  if (task_.sizes.is_tight)
    shifts = shifts_that_descend(preconditioner, task_.vectors, std::move(shifts),
                                 basis_.values().front(), space);
  correct(task_.options.correction, preconditioner, task_.vectors, shifts, s, space);
  for (int j = 0; j < count; ++j)
    task_.matrix.project_symmetry(kImpure, space.free_basis(count).slice(j, 1));
  basis_.remember(s);
  int added = space.append(count);
  if (added == 0) {  // the correction lies in the basis; the residual itself does not
    roots_.find_residuals(roots);
    added = space.append(count);
  }
  if (added == 0) {
    task_.setup.fill_random(base::mix(task_.options.seed, result_.iterations), shifts.front(),
                            space.free_basis(1));
    added = space.append(1);
  }
  exhausted_ = added == 0;
  const auto partners =
      std::ranges::count_if(roots, [this](int j) { return j >= roots_.states(); });
  result_.search_products += std::min<Index>(added, partners);
}

/// Returns true if there is more to do.
bool Davidson::look_for_missed() {
  const Index before = result_.search_products;
  searching_ = true;
  const bool finds_more = searches_.find_more([this] { return report(); });
  if (result_.search_products > before) record();
  searching_ = false;
  return finds_more;
}

void Davidson::record() {
  result_.history.push_back({result_.iterations, basis_.size(), task_.matrix.products(), searching_,
                             basis_.first(task_.sizes.states), roots_.residuals()});
}

/// Returns false if the observer stops.
bool Davidson::report(bool last) {
  const MeteredOperator& matrix = task_.matrix;
  const std::vector<double> energies = basis_.first(task_.sizes.states);
  const std::vector<double> residuals = roots_.residuals();
  stopped_ = !task_.goes_on({result_.iterations, basis_.size(), matrix.products(), searching_,
                             energies, residuals, watch_.seconds(), matrix.seconds(),
                             matrix.bytes_per_second(), *this, last});
  return !stopped_;
}

/// The states and their last directions. The latter cost a product each on resuming, as much as an
/// iteration, so they are omitted in the first iterations.
Snapshot Davidson::snapshot() {
  const Sizes& sizes = task_.sizes;
  const int kept = std::min(sizes.states + sizes.guards, basis_.size());
  const bool moves = result_.iterations > kFirstMoves;
  return {task_.vectors,
          basis_.space().basis(),
          basis_.kept_coefficients(kept, moves ? sizes.capacity : kept),
          basis_.first(kept),
          result_.iterations,
          task_.matrix.products()};
}

/// Whether the error of images accumulated over many products is comparable to the tolerance.
bool Davidson::is_imprecise() const {
  return roots_.rounding() > kOfTolerance * task_.options.tolerance;
}

std::vector<bool> Davidson::finished_states() const {
  std::vector<bool> finished;
  for (int j = 0; j < task_.sizes.states; ++j) finished.push_back(roots_.is_finished(j));
  return finished;
}

/// `is_finished`: by accumulated images, before recomputation.
Status Davidson::status_of(double residual, bool is_finished) const {
  if (residual <= task_.options.tolerance) return Status::converged;
  if (exhausted_ || is_finished || residual <= roots_.rounding()) return Status::limited;
  return stopped_ ? Status::stopped : Status::not_converged;
}

void Davidson::record_beyond() {
  const int states = task_.sizes.states;
  if (!result_.next && basis_.size() > states) result_.next = basis_.values()[states];
  if (basis_.size() >= dimension_) {
    result_.completeness = Completeness::certified;
    result_.beyond.counted = true;
  }
  result_.beyond.width = roots_.width();
  result_.beyond.states = roots_.seen_beyond();
}

void Davidson::record_chosen() {
  const auto first = basis_.weights().begin();
  result_.chosen =
      selected_states({first, first + task_.sizes.states}, task_.wanted->target().count());
  result_.search = SearchEnd::not_lowest;
  result_.beyond.width = roots_.width();
}

void Davidson::record_near() {
  result_.near = task_.wanted->energy();
  result_.beyond.width = roots_.width();
  if (basis_.size() < dimension_) return;
  result_.completeness = Completeness::certified;
  result_.search = SearchEnd::excluded;
}

/// Keeps Ritz vectors above the states if memory is left for all of them; fewer basis columns would
/// cost more than they gain.
void Davidson::keep_upper_vectors() {
  KnownUpperSpace above = KnownUpperSpace::roots_and_width(task_, basis_, roots_);
  const int near = above.near(basis_.values().back());
  if (near == 0 || !task_.vectors.have_memory_for(near)) return;
  above.keep(near);
  result_.above = task_.vectors.make(near, "Ritz vectors above the states");
  above.fill_images(*result_.above);
}

Result Davidson::finish() && {
  const int states = task_.sizes.states;
  update();
  result_.spread = basis_.values().back() - basis_.values().front();
  if (const std::vector<int> roots = inaccurate_images(true); !roots.empty())
    recompute_images(roots);
  if (task_.wanted == nullptr)
    record_beyond();
  else if (task_.wanted->energy())
    record_near();
  else
    record_chosen();
  if (task_.options.fills_above) keep_upper_vectors();
  const std::vector<bool> finished = finished_states();
  if (basis_.free_columns() == 0 || is_imprecise()) {
    basis_.forget();
    restart(states);
  }
  if (is_imprecise()) basis_.recompute_all_images(states);
  roots_.find_all_residuals();
  const std::vector<double> energies = basis_.first(states);
  const std::vector<double> residuals = roots_.residuals();
  result_.rounding =
      rounding_of_energies(dimension_, std::max(largest_ritz_, task_.setup.largest_diagonal()));
  const auto bounds = error_bounds(energies, residuals, result_.rounding);
  const auto estimates = result_.are_lowest()
                             ? error_estimates(energies, residuals, result_.next, result_.rounding)
                             : bounds;
  for (int j = 0; j < states; ++j)
    result_.states.push_back(
        {energies[j], residuals[j], bounds[j], estimates[j], status_of(residuals[j], finished[j])});
  result_.method = Method::davidson;
  result_.products = task_.matrix.products();
  result_.model_products = task_.setup.model_products();
  result_.layout = task_.vectors.layout();
  result_.vectors = std::move(basis_.space()).take_vectors(basis_.first_coefficients(states));
  result_.seconds = watch_.seconds();
  result_.product_seconds = task_.matrix.seconds();
  result_.timed_products = task_.matrix.timed_products();
  return std::move(result_);
}

}  // namespace

Result davidson(const Task& task, const Checkpoint* start) {
  Davidson solution(task);
  solution.begin(start, nullptr);
  return solution.run();
}

std::optional<Result> davidson_unless_lanczos_suits(const Task& task, double& error) {
  Davidson solution(task);
  if (!solution.begin(nullptr, &error)) return std::nullopt;
  return solution.run();
}

}  // namespace cisolve::solver
