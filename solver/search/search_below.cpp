#include "solver/search/search_below.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "solver/search/known_upper_space.hpp"
#include "solver/search/missed_states.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestWeight = 1e-2;  // fraction of the spread of the Ritz values
constexpr double kClose = 100;            // tolerances: a nearer unknown neighbour matters

constexpr Index kStepsOfNeighbour = 3;  // times the steps: to find it, to point to it, to continue
constexpr double kOfGap = 0.2;          // fraction of the gap to the energy below a cut multiplet
constexpr double kShared = 1e-3;        // other states lie at about 1 in the scaled spectrum

// Least products of an automatic search: 1e8 rows take 33, and with few rows certainty is cheap.
constexpr Index kLeastProducts = 40;
constexpr Index kLeastOfFewRows = 120;
constexpr Index kFewRows = 1 << 20;
constexpr Index kManyRows = Index{1} << 26;  // products take a tenth of a second and more
constexpr Index kLeastSteps =
    1000;  // steps of a full search: with few rows, rounding takes more steps than rows

/// Whether a search excludes all known vectors above the states. For one state of large full CI
/// distant vectors save no steps, and each costs 16 bytes per row and step.
bool knows_all(const Task& task, int states) {
  return states > 1 || task.vectors.dimension() <= kManyRows;
}

}  // namespace

Index search_product_budget(const Options& options, Index dimension, Index products, Index spent) {
  if (options.search == SearchEffort::full) return std::max(kLeastSteps, dimension);
  const Index least = dimension <= kFewRows ? kLeastOfFewRows : kLeastProducts;
  const Index of_step = options.near ? 2 : 1;  // around an energy a step takes two products
  const Index of_solution = of_step * (products - spent);
  return std::max(least, dimension <= kManyRows ? of_solution : of_solution / 3) - spent;
}

bool may_end_early(const Options& options, Index dimension) {
  return options.search == SearchEffort::automatic && (dimension > kFewRows || options.near);
}

int search_columns(const Options& options, int states) {
  return MissedStates::columns(options.near.has_value()) + states;
}

bool has_memory_for_search(const Task& task, int states) {
  return task.vectors.have_memory_for(search_columns(task.options, states) +
                                      (knows_all(task, states) ? KnownUpperSpace::kMost : 0));
}

SearchWorkspace::SearchWorkspace(const Task& task, RitzBasis& basis, int states, int known)
    // Excluded vectors are orthonormalised in place; Vectors can do as many as the basis has
    // columns.
    : known_(std::clamp(task.sizes.capacity - states, 0, known)) {
  const int least = search_columns(task.options, states);
  const int work = least - states;
  if (basis.free_columns() < least + known_ && task.vectors.have_memory_for(least + known_)) {
    own_ = task.vectors.make(least + known_, "the search for missed states");
    take(*own_, work);
  } else if (basis.free_columns() >= least) {
    known_ = std::min(known_, basis.free_columns() - least);
    take(basis.space().free_image(least + known_), work);
  } else {
    known_ = 0;
    if (basis.free_columns() >= states && 2 * basis.free_columns() - 1 >= least)
      take_from_both(basis.space(), work, states);
  }
}

void SearchWorkspace::take(Columns columns, int work) {
  for (int j = 0; j < work; ++j) work_.push_back(columns.slice(j, 1));
  deflated_ = columns.slice(work, columns.count() - work);
}

/// The first free column of the basis is for the direction found.
void SearchWorkspace::take_from_both(SearchSpace& space, int work, int states) {
  const Columns images = space.free_image(space.free_columns());
  const Columns vectors = space.free_basis(space.free_columns());
  deflated_ = images.slice(0, states);
  for (int j = states; j < images.count() && std::ssize(work_) < work; ++j)
    work_.push_back(images.slice(j, 1));
  for (int j = 1; std::ssize(work_) < work; ++j) work_.push_back(vectors.slice(j, 1));
}

bool may_be_close(const Options& options, const SearchRun& search) {
  return search.above < kClose * options.tolerance;
}

SearchEnd end_of(const SearchRun& search, bool is_close) {
  switch (search.verdict) {
    case SearchVerdict::excluded: return SearchEnd::excluded;
    case SearchVerdict::stopped: return SearchEnd::stopped;
    case SearchVerdict::far:
    case SearchVerdict::undecided:
      if (is_close && search.lowest < kShared) return SearchEnd::shared;
      return search.verdict == SearchVerdict::far ? SearchEnd::out_of_reach
                                                  : SearchEnd::out_of_products;
    case SearchVerdict::found:
      return SearchEnd::unfinished;  // the new state is to be refined first
    case SearchVerdict::ended: break;
  }
  return SearchEnd::undecided;
}

namespace {

/// Largest value seen.
double largest_of(const Task& task, const RitzBasis& basis) {
  const double here = basis.values().back();
  return task.rest == nullptr ? here : std::max(here, task.rest->largest);
}

/// Upper edge of a search: on the complement of the first `states` Ritz vectors, other values begin
/// at about `next`.
struct Edge {
  int states;
  double shift;
  double next;
};

/// A search and its workspace.
struct SearchBelow {
  SearchWorkspace workspace;
  std::optional<MissedStates> missed = {};
  SearchRun found = kNoSteps;
};

SearchBelow prepare_search(const Task& task, RitzBasis& basis, const Edge& edge,
                           KnownUpperSpace above, std::uint64_t seed, Index product_budget,
                           const std::function<bool()>& goes_on) {
  const double largest = largest_of(task, basis);
  const int known = knows_all(task, edge.states) ? std::min(above.count(), KnownUpperSpace::kMost)
                                                 : above.near(largest);
  SearchBelow look{SearchWorkspace(task, basis, edge.states, known)};
  if (look.workspace.is_none()) return look;
  above.keep(look.workspace.known());
  const double floor = std::max(edge.next - edge.shift, kSmallestWeight * (largest - edge.shift));
  const Columns deflated = look.workspace.deflated();
  task.vectors.update(1, std::as_const(basis.space()).basis(),
                      basis.first_coefficients(edge.states), 0, deflated.slice(0, edge.states));
  above.fill_images(deflated.slice(edge.states, above.count()));
  look.missed.emplace(task.vectors, task.setup, SearchRegion{edge.shift}, floor, deflated,
                      look.workspace.work());
  const auto most =
      static_cast<int>(std::min<Index>(product_budget, std::numeric_limits<int>::max()));
  look.found = look.missed->run(task.matrix, seed, most, goes_on,
                                may_end_early(task.options, task.vectors.dimension()));
  if (look.found.verdict == SearchVerdict::found)
    look.missed->point_to_found(basis.space().free_basis(1));
  return look;
}

}  // namespace

SearchOutcome search_below(const Task& task, RitzBasis& basis, const Roots& roots,
                           std::optional<double> next, int number, Index product_budget,
                           const std::function<bool()>& goes_on) {
  const double highest = basis.values()[roots.states() - 1];
  // Above the multiplet of the highest state: a state found there was missed, or belongs to a cut
  // multiplet. Just below it a partner could not be excluded.
  const double shift = highest + roots.width();
  const std::uint64_t seed = base::mix(task.options.seed + 1, number);
  SearchBelow look = prepare_search(task, basis, {roots.count(), shift, next.value_or(highest)},
                                    KnownUpperSpace::roots_and_width(task, basis, roots), seed,
                                    product_budget, goes_on);
  if (!look.missed) return {};
  const SearchRun& found = look.found;
  const double close = kClose * task.options.tolerance;
  const bool is_close = may_be_close(task.options, found);
  const bool neighbour = number == 1 && found.verdict == SearchVerdict::excluded && is_close &&
                         kStepsOfNeighbour * Index{found.steps} <= product_budget &&
                         next.value_or(highest + close) >= highest + close;
  if (neighbour)
    look.missed->point_to_lowest(task.matrix, seed, found.steps, basis.space().free_basis(1));
  return {end_of(found, is_close), found.miss_probability,
          neighbour || found.verdict == SearchVerdict::found};
}

SearchOutcome search_lower(const Task& task, RitzBasis& basis, const Roots& roots,
                           SearchEnd otherwise, int number, Index product_budget,
                           const std::function<bool()>& goes_on) {
  const std::vector<double>& values = basis.values();
  const int below = roots.below_last();
  const double least = Roots::kApart * roots.width();
  const double gap = below > 0
                         ? values[below] - values[below - 1]
                         : std::max(least, kSmallestWeight * (largest_of(task, basis) - values[0]));
  const double edge = values[below] - kOfGap * gap;
  const SearchBelow look =
      prepare_search(task, basis, {below, edge, values[roots.states() - 1]},
                     {task, nullptr, basis, below, edge, 0},
                     base::mix(task.options.seed + 1, number), product_budget, goes_on);
  switch (look.found.verdict) {
    case SearchVerdict::excluded:
      return {SearchEnd::excluded_lower, look.found.miss_probability, false, edge};
    case SearchVerdict::stopped: return {SearchEnd::stopped, look.found.miss_probability};
    case SearchVerdict::found: return {SearchEnd::unfinished, look.found.miss_probability, true};
    default: return {otherwise, look.found.miss_probability};
  }
}

}  // namespace cisolve::solver
