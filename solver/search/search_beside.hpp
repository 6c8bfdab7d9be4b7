#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "solver/basis/roots.hpp"
#include "solver/search/missed_states.hpp"
#include "solver/task/result.hpp"

namespace cisolve::solver {

struct SearchOutcome {
  SearchEnd end = SearchEnd::no_memory;
  double doubt = 1;                 // the chance that a missed state has escaped
  bool has_direction = false;       // to something new, in the first free column of the basis
  std::optional<double> edge = {};  // below which alone was looked
};

/// How many products a search may take, where all so far were `products` and those of earlier
/// searches `spent`; none where it is negative.
Index search_allowance(const Options& options, Index dimension, Index products, Index spent);

/// Whether a search ends where its share of products will be far from enough: where each takes
/// long.
bool foresees_end(const Options& options, Index dimension);

/// The free columns that a search uses where the basis has them; else it takes memory of its own.
int search_columns(const Options& options, int states);
/// Whether there is memory beside the basis for a search and all that it may know of.
bool has_room_for_search(const Task& task, int states);

/// The free columns of the images of a basis, or memory of its own. Where neither is enough for all
/// that is known beyond the states, less of that is kept; where not even for the states, free
/// columns of the basis serve as well, but for the first; where these are too few, there is none.
class SearchRoom {
 public:
  SearchRoom(const Task& task, RitzBasis& basis, int states, int known);

  bool is_none() const { return work_.empty(); }
  int known() const { return known_; }
  std::span<const Columns> work() const { return work_; }  // one by one
  Columns beside() const { return beside_; }  // for the states and, behind them, what is known

 private:
  void take(Columns columns, int work);
  void take_from_both(SearchSpace& space, int work, int states);

  int known_;
  std::optional<base::MultiVector> own_;
  std::vector<Columns> work_;
  Columns beside_;
};

/// Whether what was seen may lie at the shift itself.
bool may_be_close(const Options& options, const Search& search);

/// `is_close`: the lowest value seen beside the states lies at the last of them.
SearchEnd end_of(const Search& search, bool is_close);

/// Looks for states that were missed beside the lowest Ritz vectors of a basis, and for such as
/// share the energy of the highest state; the roots are known. `next` is the lowest value
/// seen above the states, `number` tells one search of a solution from another, `allowance` bounds
/// its products, `tell` is asked after each of them whether to go on. A neighbour above that is so
/// near that the highest state may be mixed with it is pointed to as well, where the allowance has
/// room for it.
SearchOutcome search_beside(const Task& task, RitzBasis& basis, const Roots& roots,
                            std::optional<double> next, int number, Index allowance,
                            const std::function<bool()>& tell);

/// Where the energy of the highest state is shared by more than can be set aside: looks for states
/// that were missed below an edge, which lies between that energy and the one before it.
/// `otherwise` is the end where that decides nothing.
SearchOutcome search_lower(const Task& task, RitzBasis& basis, const Roots& roots,
                           SearchEnd otherwise, int number, Index allowance,
                           const std::function<bool()>& tell);

}  // namespace cisolve::solver
