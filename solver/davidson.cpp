#include "solver/davidson.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "solver/correction.hpp"
#include "solver/error_bounds.hpp"
#include "solver/ledger.hpp"
#include "solver/ritz_basis.hpp"
#include "solver/search_beside.hpp"

namespace cisolve::solver {
namespace {

constexpr int kMostSearches = 20;  // each but the last one found a lower state
constexpr int kFirstMoves = 2;     // iterations whose directions are not worth their products
constexpr double kMixing = 1e-2;   // tolerances: what mixing with a neighbour may cost an energy

class Davidson final : public CheckpointSource {
 public:
  explicit Davidson(const Task& task)
      : task_(task),
        dimension_(task.vectors.total(task.matrix.rows())),
        basis_(task.matrix, task.vectors, task.sizes.capacity),
        ledger_(task.sizes.states),
        largest_ritz_(task.largest_ritz) {}

  Result run(const Checkpoint* start);
  Checkpoint checkpoint() override;

 private:
  void begin(const Checkpoint* start);  // V = orth(start), A V, H = V^T A V
  void update();
  void restart(int kept);  // V = V [s, s_previous]
  std::vector<int> next_roots() const;
  std::vector<int> unfinished();
  void expand(const std::vector<int>& roots);  // V = orth[V, (M - theta)^-1 r]
  bool look_for_missed();
  SearchEnd reason_against_searching() const;
  void record();
  bool tell(bool last = false);
  Result finish() &&;

  void find_residuals(const std::vector<int>& roots);  // r = A V s - theta V s, in free columns
  void find_all_residuals();
  double accuracy_of(int root) const;
  Index allowance() const {
    return search_allowance(task_.options, dimension_, task_.matrix.products(),
                            result_.search_products);
  }
  Status status_of(double residual) const;

  const Task& task_;
  const Index dimension_;
  const Stopwatch watch_;
  RitzBasis basis_;
  Ledger ledger_;
  double largest_ritz_;  // magnitude of a Ritz value seen so far

  bool searching_ = false;
  bool exhausted_ = false;  // there is no direction left
  bool stopped_ = false;    // by the observer
  int searches_ = 0;
  Result result_{.vectors = base::MultiVector(task_.backend(), 0, 0)};
};

// Each iteration moves, in vectors of the basis of size m and with b directions: 2 m for the
// residuals, 4 m for the orthogonalisation, m for the new columns of H, and the b products.
Result Davidson::run(const Checkpoint* start) {
  begin(start);
  const int first = result_.iterations;
  while (true) {
    update();
    if (basis_.room() < task_.sizes.width) restart(task_.sizes.kept);
    const std::vector<int> roots = unfinished();
    record();
    const bool at_limit = result_.iterations - first >= task_.options.max_iterations;
    if (!tell(at_limit && !roots.empty()) || at_limit) break;
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

void Davidson::begin(const Checkpoint* start) {
  const Sizes& sizes = task_.sizes;
  SearchSpace& space = basis_.space();
  const auto most = static_cast<int>(std::min<Index>(sizes.capacity - sizes.width, dimension_));
  const int given = start == nullptr ? 0 : std::min(start->basis.columns(), most);
  const int wanted = std::min(std::max(given, sizes.states + sizes.guards), most);
  if (start != nullptr) {
    fill_from_checkpoint(*start, task_.vectors, space.free_basis(given));
    result_.iterations = start->iterations;
    task_.matrix.continue_from(task_.matrix.products() + start->products);
  }
  task_.preparation.fill_start(space.free_basis(wanted).slice(given, wanted - given),
                               space.free_image(wanted - given));
  space.append(wanted);
  for (std::uint64_t seed = 1; space.size() < sizes.states && seed < 10; ++seed) {
    const int missing = sizes.states - space.size();
    task_.preparation.fill_random(base::mix(task_.options.seed, seed), 0,
                                  space.free_basis(missing));
    space.append(missing);
  }
  if (space.size() < sizes.states)
    base::fail(base::Fault::internal, "no ", sizes.states, " independent start vectors found");
}

void Davidson::update() {
  basis_.update();
  largest_ritz_ = std::max(
      {largest_ritz_, std::abs(basis_.values().front()), std::abs(basis_.values().back())});
}

void Davidson::restart(int kept) {
  const Sizes& sizes = task_.sizes;
  kept = std::min(std::max(kept, sizes.states), basis_.size());
  basis_.restart(kept, std::max(kept, sizes.capacity - sizes.width));
  ++result_.restarts;
}

void Davidson::find_residuals(const std::vector<int>& roots) {
  const std::vector<double> norms = basis_.find_residuals(roots);
  for (std::size_t j = 0; j < roots.size(); ++j)
    ledger_.record(roots[j], basis_.values()[roots[j]], norms[j], accuracy_of(roots[j]));
}

/// The tolerance, or less where a neighbour beyond the states is so near that a residual r lets the
/// energy err by more than a hundredth of the tolerance: by r^2 / gap, or by r.
double Davidson::accuracy_of(int root) const {
  const double tolerance = task_.options.tolerance;
  double accuracy = tolerance;
  if (basis_.size() > task_.sizes.states) {
    const double gap = basis_.values()[task_.sizes.states] - basis_.values()[root];
    const double allowed = kMixing * tolerance;
    accuracy = std::clamp(std::sqrt(allowed * gap), allowed, tolerance);
  }
  return std::max(accuracy, basis_.rounding());
}

void Davidson::find_all_residuals() {
  const int states = task_.sizes.states;
  const int step = std::max(1, std::min(basis_.room(), task_.sizes.width));
  for (int first = 0; first < states; first += step) {
    std::vector<int> roots;
    for (int j = first; j < std::min(first + step, states); ++j) roots.push_back(j);
    find_residuals(roots);
  }
}

/// The lowest roots that are not finished, as many as are worked on at once.
std::vector<int> Davidson::next_roots() const {
  std::vector<int> roots;
  for (int j = 0; j < task_.sizes.states && std::ssize(roots) < task_.sizes.width; ++j)
    if (!ledger_.finished(j)) roots.push_back(j);
  return roots;
}

/// The roots to work on next, with their residuals in the free columns; none when all is done. The
/// last bits of a residual depend on which others are computed beside it, so one that is as large
/// as the accuracy may be found on either side of it: what the last look at all of them finds
/// unfinished is worked on, whatever another look would say.
std::vector<int> Davidson::unfinished() {
  ledger_.forget_moved(basis_.values(), std::max(task_.options.tolerance, basis_.rounding()));
  for (std::vector<int> roots = next_roots(); !roots.empty(); roots = next_roots()) {
    find_residuals(roots);
    const auto ready = std::erase_if(roots, [this](int j) { return ledger_.finished(j); });
    if (roots.empty()) continue;
    if (ready > 0) find_residuals(roots);
    return roots;
  }
  find_all_residuals();  // exactly, before all is believed to be done
  std::vector<int> roots = next_roots();
  if (!roots.empty()) find_residuals(roots);
  return roots;
}

void Davidson::expand(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  SearchSpace& space = basis_.space();
  const SmallMatrix s = basis_.coefficients(roots);
  std::vector<double> shifts;
  for (const int root : roots) shifts.push_back(basis_.values()[root]);
  correct(task_.options.correction, task_.preparation.preconditioner(), task_.vectors, shifts, s,
          space);
  basis_.remember(s);
  int added = space.append(count);
  if (added == 0) {  // the correction lies in the basis: the residual itself does not
    find_residuals(roots);
    added = space.append(count);
  }
  if (added == 0) {
    task_.preparation.fill_random(base::mix(task_.options.seed, result_.iterations), shifts.front(),
                                  space.free_basis(1));
    added = space.append(1);
  }
  exhausted_ = added == 0;
}

/// `excluded` where there is none.
SearchEnd Davidson::reason_against_searching() const {
  if (task_.options.search == SearchEffort::none) return SearchEnd::not_wanted;
  if (searches_ == kMostSearches) return SearchEnd::too_many;
  return allowance() > 0 ? SearchEnd::excluded : SearchEnd::out_of_products;
}

/// True when there is more to do, since a search has told the basis of something new.
bool Davidson::look_for_missed() {
  const int states = task_.sizes.states;
  if (basis_.size() > states) result_.next = basis_.values()[states];
  result_.search = SearchEnd::excluded;
  if (basis_.size() >= dimension_) return false;  // nothing is left to look in
  result_.search = reason_against_searching();
  if (result_.search != SearchEnd::excluded) return false;
  const int columns = search_columns(states);
  if (basis_.room() < columns) {
    restart(task_.sizes.capacity - task_.sizes.kept < columns ? states : task_.sizes.kept);
    find_all_residuals();
    if (!ledger_.all_finished()) return true;  // degenerate states came out mixed anew
  }
  searching_ = true;
  ++searches_;
  const Index before = task_.matrix.products();
  const SearchOutcome outcome =
      search_beside(task_, basis_, result_.next, searches_, allowance(), [this] { return tell(); });
  result_.search_products += task_.matrix.products() - before;
  record();
  searching_ = false;
  result_.search = outcome.end;
  result_.search_doubt = outcome.doubt;
  result_.completeness =
      outcome.end == SearchEnd::excluded ? Completeness::searched : Completeness::not_checked;
  return outcome.has_direction && basis_.space().append(1) > 0;
}

void Davidson::record() {
  result_.history.push_back({result_.iterations, basis_.size(), task_.matrix.products(), searching_,
                             basis_.lowest(task_.sizes.states), ledger_.residuals()});
}

/// False when the observer wants to stop.
bool Davidson::tell(bool last) {
  if (task_.observer == nullptr) return true;
  const MeteredOperator& matrix = task_.matrix;
  const std::vector<double> energies = basis_.lowest(task_.sizes.states);
  stopped_ = !task_.observer->report({result_.iterations, basis_.size(), matrix.products(),
                                      searching_, energies, ledger_.residuals(), watch_.seconds(),
                                      matrix.seconds(), matrix.bytes_per_second(), *this, last});
  return !stopped_;
}

/// The states, and in what directions they moved last: these cost a product each when the solution
/// goes on, as much as an iteration, and at first that is more than they spare.
Checkpoint Davidson::checkpoint() {
  const Sizes& sizes = task_.sizes;
  const int kept = std::min(sizes.states + sizes.guards, basis_.size());
  const bool moves = result_.iterations > kFirstMoves;
  return {
      task_.vectors.product_on_host(basis_.space().basis(),
                                    basis_.kept_coefficients(kept, moves ? sizes.capacity : kept)),
      basis_.lowest(kept), result_.iterations, task_.matrix.products()};
}

Status Davidson::status_of(double residual) const {
  if (residual <= task_.options.tolerance) return Status::converged;
  if (exhausted_ || residual <= basis_.rounding()) return Status::limited;
  return stopped_ ? Status::stopped : Status::not_converged;
}

Result Davidson::finish() && {
  const int states = task_.sizes.states;
  update();
  if (!result_.next && basis_.size() > states) result_.next = basis_.values()[states];
  if (basis_.size() >= dimension_) result_.completeness = Completeness::certified;
  if (basis_.room() == 0) {
    basis_.forget();
    restart(states);
  }
  find_all_residuals();
  const std::vector<double> energies = basis_.lowest(states);
  const std::vector<double>& residuals = ledger_.residuals();
  result_.rounding = rounding_of_energies(
      dimension_, std::max(largest_ritz_, task_.preparation.largest_diagonal()));
  const auto bounds = error_bounds(energies, residuals, result_.rounding);
  const auto estimates = error_estimates(energies, residuals, result_.next, result_.rounding);
  for (int j = 0; j < states; ++j)
    result_.states.push_back(
        {energies[j], residuals[j], bounds[j], estimates[j], status_of(residuals[j])});
  result_.method = Method::davidson;
  result_.products = task_.matrix.products();
  result_.model_products = task_.preparation.model_products();
  result_.vectors = std::move(basis_.space()).take_vectors(basis_.lowest_coefficients(states));
  result_.seconds = watch_.seconds();
  result_.product_seconds = task_.matrix.seconds();
  return std::move(result_);
}

}  // namespace

Result davidson(const Task& task, const Checkpoint* start) { return Davidson(task).run(start); }

}  // namespace cisolve::solver
