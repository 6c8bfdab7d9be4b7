#include "solver/task/sizes.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cisolve::solver {
namespace {

constexpr Index kMostStates = 4096;
constexpr Index kFewOfEach = 6;  // vectors per state
constexpr Index kWider =
    2;  // factor for states that are not the lowest: halves the products of hard cases

Index usual_columns(Index states) { return std::max<Index>(24, 2 * states + 20); }

Index wanted_columns(const Options& options, Index states) {
  if (options.max_subspace > 0) return options.max_subspace;
  if (options.per_state > 0) return std::max(options.per_state * states, states + 2);
  return options.are_lowest() ? usual_columns(states) : kWider * usual_columns(states);
}

bool are_few(const Options& options, Index columns, Index states) {
  return options.are_lowest() && columns <= kFewOfEach * states && columns < usual_columns(states);
}

/// With few columns a restart keeps nearly all: the Ritz vectors next to the states are worth more
/// than further directions. Left free are columns for the previous and a new vector, or for a
/// quarter of the others.
Index kept_of_few(Index columns, Index states, Index width) {
  return columns - width - std::max<Index>(1, (columns - states) / 4);
}

/// 1.5 times the columns of a basis with images save nearly as many products as 2 times, for less
/// work on vectors; if columns are few, 2 times. `last`: final vectors that are made of them, in
/// addition.
int krylov_columns(const Sizes& sizes, Index last, Index dimension) {
  const Index capacity = sizes.capacity;
  const Index most = std::min(2 * capacity - last, dimension + 1);
  const Index wide = sizes.is_tight ? most : std::min(capacity * Index{3} / 2, most);
  return static_cast<int>(std::max<Index>(wide, capacity));
}

/// Columns, with images, that followed vectors take, or the final Lanczos vectors if Davidson
/// continues from them: the method is chosen later. For one state Lanczos is used only without a
/// diagonal, whose memory then serves.
Index left_to_states(const Options& options, Index followed) {
  if (options.method == Method::davidson || !options.are_lowest()) return followed;
  if (options.method == Method::automatic && options.states == 1) return 0;
  return (most_lanczos_states(options.states, std::max(options.guards, 0), options.search) + 1) / 2;
}

constexpr Index kFewRows = 100;  // vectors of fewer rows need no staging

/// Columns for the states, a new direction and the last one, without which products multiply. More
/// save less than moving them costs.
Index least_columns(Index states) { return states + 2; }

/// Columns for the last direction of each state: nearly the fewest products.
Index enough_columns(Index states) { return states + std::max<Index>(2, states); }

}  // namespace

bool may_be_staged(const Options& options) {
  const bool is_davidson =
      options.method == Method::automatic || options.method == Method::davidson;
  return is_davidson && options.are_lowest() && options.max_subspace == 0 &&
         options.per_state == 0 && options.basis_storage != BasisStorage::full;
}

FittingColumns FittingColumns::in(const MemoryForSpace& memory, const Options& options,
                                  Index dimension) {
  const Index states = std::min<Index>(options.states, dimension);
  const Index full = columns_that_fit(memory);
  return {full, memory.on_host ? full : staged_columns_that_fit(memory, states)};
}

BasisStorage choose_basis_storage(const Options& options, Index dimension,
                                  const FittingColumns& fitting) {
  if (!may_be_staged(options) || dimension < kFewRows) return BasisStorage::full;
  if (options.basis_storage) return *options.basis_storage;
  const Index least = std::min(least_columns(options.states), dimension);
  const bool pays =
      columns_of_basis(options, 0, fitting.full) < least && fitting.staged > fitting.full;
  return pays ? BasisStorage::staged : BasisStorage::full;
}

Index staged_columns(const Options& options, Index fitting) {
  return std::min(enough_columns(options.states), fitting);
}

int most_lanczos_states(int states, int guards, SearchEffort search) {
  const int beyond = search == SearchEffort::none ? 0 : 1;
  return states + std::max(guards, beyond);
}

// Lanczos steps take two directions in addition to the states, and choosing the method more.
// Without a diagonal no choice is made, but that is known only later.
bool leaves_for_lanczos(const Options& options, Index followed, Index fitting) {
  const Index left = left_to_states(options, followed);
  const Index needed =
      options.method == Method::automatic && options.states > 1 ? 2 * kStartsForChoice : 2;
  return fitting - left >= options.states + needed;
}

Index columns_of_basis(const Options& options, Index followed, Index fitting) {
  const Index left =
      leaves_for_lanczos(options, followed, fitting) ? left_to_states(options, followed) : followed;
  return std::max(fitting - left, std::min<Index>(fitting, options.states + Index{1}));
}

Sizes choose_sizes(const Options& options, Index dimension, Index most_columns) {
  const Index states = std::min<Index>(options.states, dimension);
  if (states < 1 || states > kMostStates)
    base::fail(base::ErrorKind::usage, options.states, " states of a matrix of ", dimension,
               " rows were requested; expected 1 to ", kMostStates, " states of at least one row");
  const Index columns = std::min(wanted_columns(options, states), most_columns);
  if (columns < states + 1)
    base::fail(base::ErrorKind::resources, "a search space of ", columns, " vectors cannot hold ",
               states, " states and a direction; raise the memory budget or request fewer states");
  const Index free = columns - states;
  const bool few = are_few(options, columns, states);
  const Index suits = few ? 1 : std::min<Index>(states, 4);
  const Index asked = options.block_width > 0 ? options.block_width : suits;
  const Index width = std::clamp<Index>(asked, 1, std::max<Index>(1, free / 3));
  const Index guards = std::clamp<Index>(free - 3 * width, 0, std::max(options.guards, 0));
  const Index survive =
      few ? kept_of_few(columns, states, width) : std::min(columns * 2 / 5, columns - 3 * width);
  const Index kept = std::max(states + guards, survive);

  Sizes sizes;
  sizes.states = static_cast<int>(states);
  sizes.guards = static_cast<int>(std::min(guards, dimension - states));
  sizes.width = static_cast<int>(width);
  sizes.capacity = static_cast<int>(std::min(columns, dimension + width));
  sizes.kept = static_cast<int>(std::min<Index>(kept, sizes.capacity - width));
  sizes.is_tight = few;
  sizes.krylov = krylov_columns(sizes, states + guards, dimension);
  return sizes;
}

}  // namespace cisolve::solver
