#include "solver/davidson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "solver/correction.hpp"
#include "solver/ledger.hpp"
#include "solver/search_space.hpp"

namespace cisolve::solver {
namespace {

constexpr int kSearchVectors = 2;  // fresh random vectors of a search for missed states
// A search ends when its residual, relative to the spread of the energies, is below the share that
// a missed state has in a random vector, 1 / sqrt(dimension), by this factor.
constexpr double kSearchAccuracy = 0.1;

class Davidson final : public CheckpointSource {
 public:
  Davidson(MeteredOperator& matrix, Vectors& vectors, const Preparation& preparation,
           const Options& options, const Sizes& sizes, Observer* observer)
      : matrix_(matrix),
        vectors_(vectors),
        preparation_(preparation),
        options_(options),
        sizes_(sizes),
        observer_(observer),
        dimension_(vectors.total(matrix.rows())),
        space_(matrix, vectors, sizes.capacity),
        previous_(0, 0),
        ledger_(sizes.states + 1) {}

  Result run(const Checkpoint* start);
  Checkpoint checkpoint() override;

 private:
  void begin(const Checkpoint* start);             // V = orth(start), A V, H = V^T A V
  void rayleigh_ritz() { ritz_ = space_.ritz(); }  // H s = theta s
  void restart(int kept);                          // V = V [s, s_previous]
  std::vector<int> unfinished();
  void expand(const std::vector<int>& roots);  // V = orth[V, (M - theta)^-1 r]
  bool look_for_missed();
  void begin_search();
  bool report();
  Result finish() &&;

  void find_residuals(const std::vector<int>& roots);  // r = A V s - theta V s, in free columns
  void find_all_residuals();
  bool all_states_finished() const { return ledger_.first_finished(sizes_.states); }
  double accuracy_of(int root) const;
  double shift_for(int root) const;
  SmallMatrix coefficients(const std::vector<int>& roots) const;
  SmallMatrix kept_coefficients(int kept, int most) const;
  double rounding() const;

  MeteredOperator& matrix_;
  Vectors& vectors_;
  const Preparation& preparation_;
  const Options& options_;
  const Sizes sizes_;
  Observer* observer_;
  const Index dimension_;
  const Stopwatch watch_;

  SearchSpace space_;
  EigenPairs ritz_{{}, SmallMatrix(0, 0)};
  SmallMatrix previous_;  // coefficients of the Ritz vectors last worked on
  Ledger ledger_;         // of the states and of the root above

  bool searching_ = false;
  bool exhausted_ = false;  // there is no direction left
  bool stopped_ = false;
  int searches_ = 0;
  int search_end_ = 0;  // iteration
  int solving_iterations_ = 0;
  Index search_started_ = 0;
  Result result_{.vectors = base::MultiVector(vectors_.backend(), 0, 0)};
};

// Each iteration moves, in vectors of the basis of size m and with b directions: 2 m for the
// residuals, 4 m for the orthogonalisation, m for the new columns of H, and the b products.
Result Davidson::run(const Checkpoint* start) {
  begin(start);
  while (true) {
    rayleigh_ritz();
    if (space_.room() < sizes_.width) restart(sizes_.kept);
    const std::vector<int> roots = unfinished();
    if (!report()) break;
    if (roots.empty()) {
      if (!look_for_missed()) break;
      continue;
    }
    if (result_.iterations >= (searching_ ? search_end_ : INT32_MAX)) break;
    if (!searching_ && solving_iterations_ >= options_.max_iterations) break;
    expand(roots);
    if (exhausted_) break;
    ++result_.iterations;
    if (!searching_) ++solving_iterations_;
  }
  return std::move(*this).finish();
}

void Davidson::begin(const Checkpoint* start) {
  const auto most = static_cast<int>(std::min<Index>(sizes_.capacity - sizes_.width, dimension_));
  const int given = start == nullptr ? 0 : std::min(start->basis.columns(), most);
  const int wanted = std::min(std::max(given, sizes_.states + sizes_.guards), most);
  if (start != nullptr) {
    fill_from_checkpoint(*start, vectors_, space_.free_basis(given));
    result_.iterations = start->iterations;
    matrix_.continue_from(matrix_.products() + start->products);
  }
  preparation_.fill_start(space_.free_basis(wanted).slice(given, wanted - given),
                          space_.free_image(wanted - given));
  space_.append(wanted);
  for (std::uint64_t seed = 1; space_.size() < sizes_.states && seed < 10; ++seed) {
    const int missing = sizes_.states - space_.size();
    preparation_.fill_random(base::mix(options_.seed, seed), 0, space_.free_basis(missing));
    space_.append(missing);
  }
  if (space_.size() < sizes_.states)
    base::fail(base::Fault::internal, "no ", sizes_.states, " independent start vectors found");
  if (start != nullptr && start->searching && space_.size() > sizes_.states) {
    rayleigh_ritz();
    find_all_residuals();
    begin_search();
  }
}

SmallMatrix Davidson::kept_coefficients(int kept, int most) const {
  SmallMatrix padded(space_.size(), previous_.columns());
  for (int j = 0; j < previous_.columns(); ++j)
    for (int i = 0; i < previous_.rows(); ++i) padded(i, j) = previous_(i, j);
  const SmallMatrix all = extended_by(columns_of(ritz_.vectors, 0, kept), padded);
  return columns_of(all, 0, std::min(all.columns(), most));
}

void Davidson::restart(int kept) {
  kept = std::min(std::max(kept, sizes_.states + (searching_ ? 1 : 0)), space_.size());
  space_.collapse(kept_coefficients(kept, std::max(kept, sizes_.capacity - sizes_.width)));
  previous_ = SmallMatrix(0, 0);
  ++result_.restarts;
  rayleigh_ritz();
}

SmallMatrix Davidson::coefficients(const std::vector<int>& roots) const {
  SmallMatrix s(space_.size(), static_cast<int>(roots.size()));
  for (int j = 0; j < s.columns(); ++j)
    for (int i = 0; i < s.rows(); ++i) s(i, j) = ritz_.vectors(i, roots[j]);
  return s;
}

void Davidson::find_residuals(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  const SmallMatrix s = coefficients(roots);
  SmallMatrix s_theta = s;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < s.rows(); ++i) s_theta(i, j) *= ritz_.values[roots[j]];
  const Block r = space_.free_basis(count);
  vectors_.blocks().update(vectors_.backend(), 1, space_.image(), s, 0, r);
  vectors_.blocks().update(vectors_.backend(), -1, space_.basis(), s_theta, 1, r);
  const std::vector<double> norms = vectors_.norms(r);
  for (int j = 0; j < count; ++j) {
    const int root = roots[j];
    ledger_.record(root, ritz_.values[root], norms[j], std::max(accuracy_of(root), rounding()));
  }
}

void Davidson::find_all_residuals() {
  const int step = std::max(1, std::min(space_.room(), sizes_.width));
  for (int first = 0; first < sizes_.states; first += step) {
    std::vector<int> roots;
    for (int j = first; j < std::min(first + step, sizes_.states); ++j) roots.push_back(j);
    find_residuals(roots);
  }
}

double Davidson::rounding() const {
  const double size = std::max(std::abs(ritz_.values.front()), std::abs(ritz_.values.back()));
  return 8 * std::numeric_limits<double>::epsilon() * size;
}

double Davidson::accuracy_of(int root) const {
  if (root < sizes_.states) return options_.tolerance;
  const double spread = ritz_.values[root] - ritz_.values[0];
  const double share = 1 / std::sqrt(static_cast<double>(dimension_));
  return std::max(options_.tolerance, kSearchAccuracy * share * spread);
}

/// The roots to work on next, with their residuals in the free columns; none when all is done.
std::vector<int> Davidson::unfinished() {
  ledger_.forget_moved(ritz_.values, std::max(options_.tolerance, rounding()));
  ledger_.reopen(sizes_.states);
  while (true) {
    if (searching_ && !all_states_finished()) {  // a lower state came in
      searching_ = false;
      result_.search_products += matrix_.products() - search_started_;
    }
    std::vector<int> roots;
    const int first = searching_ ? sizes_.states : 0;
    const int last = searching_ ? sizes_.states + 1 : sizes_.states;
    for (int j = first; j < last && std::ssize(roots) < sizes_.width; ++j)
      if (!ledger_.finished(j)) roots.push_back(j);
    if (roots.empty()) {
      find_all_residuals();  // exactly, before all is believed to be done
      if (all_states_finished()) return {};
      continue;
    }
    find_residuals(roots);
    const auto ready = std::erase_if(roots, [this](int j) { return ledger_.finished(j); });
    if (roots.empty()) continue;
    if (ready > 0) find_residuals(roots);
    return roots;
  }
}

/// A search starts far above the states: it aims beside them until its residual separates it.
double Davidson::shift_for(int root) const {
  const double energy = ritz_.values[root];
  if (root < sizes_.states) return energy;
  const double below = ritz_.values[root - 1];
  return energy - ledger_.residual(root) > below ? energy : below;
}

void Davidson::expand(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  previous_ = coefficients(roots);
  std::vector<double> shifts;
  for (const int root : roots) shifts.push_back(shift_for(root));
  correct(options_.correction, preparation_.preconditioner(), vectors_, shifts, previous_, space_);
  int added = space_.append(count);
  if (added == 0) {  // the correction lies in the basis: the residual itself does not
    find_residuals(roots);
    added = space_.append(count);
  }
  if (added == 0) {
    preparation_.fill_random(base::mix(options_.seed, result_.iterations),
                             ritz_.values[roots.front()], space_.free_basis(1));
    added = space_.append(1);
  }
  exhausted_ = added == 0;
}

/// Begins a search beside the finished states and returns true; false when all is done.
bool Davidson::look_for_missed() {
  if (std::ssize(ritz_.values) > sizes_.states) result_.next = ritz_.values[sizes_.states];
  if (space_.size() >= dimension_) return false;  // nothing is left to look in
  if (searching_) {
    result_.completeness = Completeness::searched;
    return false;
  }
  const int fresh = std::min(kSearchVectors, sizes_.capacity - sizes_.states - sizes_.width);
  if (!options_.search || fresh < 1) return false;
  previous_ = SmallMatrix(0, 0);
  restart(sizes_.states);
  ++searches_;
  preparation_.fill_random(base::mix(options_.seed + 1, static_cast<std::uint64_t>(searches_)),
                           ritz_.values[sizes_.states - 1], space_.free_basis(fresh));
  begin_search();
  return space_.append(fresh) > 0;
}

void Davidson::begin_search() {
  searching_ = true;
  search_started_ = matrix_.products();
  search_end_ = result_.iterations + std::max(options_.search_iterations, solving_iterations_);
}

bool Davidson::report() {
  const std::vector<double> energies(ritz_.values.begin(), ritz_.values.begin() + sizes_.states);
  const std::vector<double> residuals = ledger_.first_residuals(sizes_.states);
  result_.history.push_back(
      {result_.iterations, space_.size(), matrix_.products(), searching_, energies, residuals});
  if (observer_ == nullptr) return true;
  stopped_ = !observer_->report({result_.iterations, space_.size(), matrix_.products(), searching_,
                                 energies, residuals, watch_.seconds(), matrix_.seconds(),
                                 matrix_.bytes_per_second(), *this});
  return !stopped_;
}

Checkpoint Davidson::checkpoint() {
  const int beside = std::max(sizes_.guards, searching_ ? 1 : 0);
  const int kept = std::min(sizes_.states + beside, space_.size());
  return {vectors_.product_on_host(space_.basis(), kept_coefficients(kept, sizes_.capacity)),
          {ritz_.values.begin(), ritz_.values.begin() + kept},
          result_.iterations,
          matrix_.products(),
          searching_};
}

Result Davidson::finish() && {
  rayleigh_ritz();
  if (std::ssize(ritz_.values) > sizes_.states) result_.next = ritz_.values[sizes_.states];
  if (searching_) result_.search_products += matrix_.products() - search_started_;
  if (space_.size() >= dimension_) result_.completeness = Completeness::certified;
  if (space_.room() == 0) {
    previous_ = SmallMatrix(0, 0);
    restart(sizes_.states);
  }
  find_all_residuals();
  const std::vector<double> energies(ritz_.values.begin(), ritz_.values.begin() + sizes_.states);
  const std::vector<double> residuals = ledger_.first_residuals(sizes_.states);
  const auto bounds = error_bounds(energies, residuals, result_.next);
  for (int j = 0; j < sizes_.states; ++j) {
    const bool limited = exhausted_ || residuals[j] <= rounding();
    const Status otherwise = stopped_ ? Status::stopped : Status::not_converged;
    const Status status = residuals[j] <= options_.tolerance ? Status::converged
                          : limited                          ? Status::limited
                                                             : otherwise;
    result_.states.push_back({energies[j], residuals[j], bounds[j], status});
  }
  result_.method = Method::davidson;
  result_.products = matrix_.products();
  result_.model_products = preparation_.model_products();
  result_.vectors = std::move(space_).take_vectors(columns_of(ritz_.vectors, 0, sizes_.states));
  result_.seconds = watch_.seconds();
  result_.product_seconds = matrix_.seconds();
  return std::move(result_);
}

}  // namespace

Result davidson(MeteredOperator& matrix, Vectors& vectors, const Preparation& preparation,
                const Options& options, const Sizes& sizes, Observer* observer,
                const Checkpoint* start) {
  return Davidson(matrix, vectors, preparation, options, sizes, observer).run(start);
}

}  // namespace cisolve::solver
