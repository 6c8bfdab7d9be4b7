#include "solver/methods/search_beside.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "solver/methods/missed_states.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestWeight = 1e-2;  // of the spread of the Ritz values
constexpr double kClose = 100;            // tolerances: so near, an unknown neighbour matters

constexpr Index kStepsOfNeighbour = 3;  // such a search: to find it, to point to it, to go on
constexpr double kShared = 1e-3;        // with the weights, other states lie at about one

// Of an automatic search: 1e8 rows take 33, and where rows are few a sure answer costs little.
constexpr Index kLeastProducts = 40;
constexpr Index kLeastOfFewRows = 120;
constexpr Index kFewRows = 1 << 20;
constexpr Index kLeastSteps = 1000;  // of a full one: of a few rows, rounding takes more than rows

/// `is_close`: the lowest value seen beside the states lies at the highest of them.
SearchEnd end_of(const Search& search, bool is_close) {
  switch (search.verdict) {
    case Verdict::excluded: return SearchEnd::excluded;
    case Verdict::stopped: return SearchEnd::stopped;
    case Verdict::undecided:
      return is_close && search.lowest < kShared ? SearchEnd::shared : SearchEnd::out_of_products;
    case Verdict::found: return SearchEnd::unfinished;  // what is found is to be refined first
    case Verdict::ended: break;
  }
  return SearchEnd::undecided;
}

}  // namespace

Index search_allowance(const Options& options, Index dimension, Index products, Index spent) {
  if (options.search == SearchEffort::full) return std::max(kLeastSteps, dimension);
  const Index least = dimension <= kFewRows ? kLeastOfFewRows : kLeastProducts;
  return std::max(least, products - spent) - spent;
}

int search_columns(int states) { return MissedStates::columns_for(states); }

SearchOutcome search_beside(const Task& task, RitzBasis& basis, const Roots& roots,
                            std::optional<double> next, int number, Index allowance,
                            const std::function<bool()>& tell) {
  const int columns = search_columns(roots.count());
  std::optional<base::MultiVector> own;
  if (basis.room() < columns) {
    if (!task.vectors.have_room_for(columns)) return {};
    own = task.vectors.make(columns, "the search for missed states");
  }
  const double highest = basis.values()[roots.states() - 1];
  // Above all that shares the energy of the highest state: what is found there was missed, or
  // belongs to a multiplet that the states cut. Just below it a partner could not be excluded.
  const double shift = highest + roots.width();
  const double floor =
      std::max(next.value_or(highest) - shift, kSmallestWeight * (basis.values().back() - shift));
  MissedStates missed(task.matrix, task.vectors, task.preparation,
                      std::as_const(basis.space()).basis(), basis.first_coefficients(roots.count()),
                      shift, floor, own ? Columns(*own) : basis.space().free_image(columns));
  const auto most = static_cast<int>(std::min<Index>(allowance, std::numeric_limits<int>::max()));
  const std::uint64_t seed = base::mix(task.options.seed + 1, number);
  const Search found = missed.run(seed, most, tell);

  const double close = kClose * task.options.tolerance;
  const bool is_close = found.lowest * floor < close;
  const bool neighbour = number == 1 && found.verdict == Verdict::excluded && is_close &&
                         kStepsOfNeighbour * Index{found.steps} <= allowance &&
                         next.value_or(highest + close) >= highest + close;
  if (found.verdict == Verdict::found) missed.point_to_found(basis.space().free_basis(1));
  if (neighbour) missed.point_to_lowest(seed, found.steps, basis.space().free_basis(1));
  return {end_of(found, is_close), found.doubt, neighbour || found.verdict == Verdict::found};
}

}  // namespace cisolve::solver
