#include "solver/search_beside.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "solver/beyond.hpp"
#include "solver/missed_states.hpp"

namespace cisolve::solver {
namespace {

constexpr double kSmallestWeight = 1e-2;  // of the spread of the Ritz values
constexpr double kClose = 100;            // tolerances: so near, an unknown neighbour matters

bool has_memory_for(const Task& task, int columns) {
  const Index vector = task.matrix.rows() * Index{sizeof(double)};
  return task.backend().memory().left() > (columns + 2) * vector;
}

}  // namespace

int search_columns(int states) { return MissedStates::columns_for(states); }

SearchOutcome search_beside(const Task& task, RitzBasis& basis, int beyond,
                            std::optional<double> next, int number,
                            const std::function<bool()>& tell) {
  const int states = task.sizes.states;
  const int columns = search_columns(states + beyond);
  std::optional<base::MultiVector> own;
  if (basis.room() < columns) {
    if (!has_memory_for(task, columns)) return {};
    own.emplace(task.backend(), task.matrix.rows(), columns, "the search for missed states");
  }
  const double highest = basis.values()[states - 1];
  // Above all that shares the energy of the highest state: what is found there was missed, or
  // belongs to a multiplet that the states cut. Just below it a partner could not be excluded.
  const double shift = highest + width_of_an_energy(task.options.tolerance, basis.rounding());
  const double floor =
      std::max(next.value_or(highest) - shift, kSmallestWeight * (basis.values().back() - shift));
  MissedStates missed(task.matrix, task.vectors, task.preparation,
                      std::as_const(basis.space()).basis(),
                      basis.lowest_coefficients(states + beyond), shift, floor,
                      own ? own->block() : basis.space().free_image(columns));
  const auto most =
      static_cast<int>(std::max<Index>(task.options.search_steps, task.matrix.products()));
  const std::uint64_t seed = base::mix(task.options.seed + 1, number);
  const Search found = missed.run(seed, most, tell);

  const bool excluded = found.verdict == Verdict::excluded;
  const double close = kClose * task.options.tolerance;
  const bool neighbour = number == 1 && excluded && found.lowest * floor < close &&
                         next.value_or(highest + close) >= highest + close;
  const bool points = found.verdict == Verdict::found || neighbour;
  if (points) missed.point(seed, found.steps, basis.space().free_basis(1));
  return {excluded, points};
}

}  // namespace cisolve::solver
