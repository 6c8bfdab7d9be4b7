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
  double miss_probability = 1;      // probability that a state was missed
  bool has_direction = false;       // a new direction is in the first free column of the basis
  std::optional<double> edge = {};  // set if only energies below this were searched
};

/// Number of products that a search may take after `products` in all, `spent` of them by earlier
/// searches; none if negative.
Index search_product_budget(const Options& options, Index dimension, Index products, Index spent);

/// Whether a search ends early if its budget is predicted to be far from enough: for expensive
/// products.
bool may_end_early(const Options& options, Index dimension);

/// Number of free columns that a search needs; without them it allocates memory.
int search_columns(const Options& options, int states);
/// Whether memory is left for a search and all vectors that it may exclude.
bool has_memory_for_search(const Task& task, int states);

/// Columns for a search: free image columns of a basis, or memory of its own. If neither suffices,
/// fewer known vectors are excluded; if not even the states fit, free columns of the basis are used
/// as well, except the first; else is_none().
class SearchWorkspace {
 public:
  SearchWorkspace(const Task& task, RitzBasis& basis, int states, int known);

  bool is_none() const { return work_.empty(); }
  int known() const { return known_; }
  std::span<const Columns> work() const { return work_; }  // single columns
  Columns deflated() const { return deflated_; }  // for the states, followed by the known vectors

 private:
  void take(Columns columns, int work);
  void take_from_both(SearchSpace& space, int work, int states);

  int known_;
  std::optional<base::MultiVector> own_;
  std::vector<Columns> work_;
  Columns deflated_;
};

/// Whether the lowest value seen may lie at the shift itself.
bool may_be_close(const Options& options, const SearchRun& search);

/// `is_close`: the lowest value outside the known states lies at the last of them.
SearchEnd end_of(const SearchRun& search, bool is_close);

/// Searches for states missed by the lowest Ritz vectors of a basis, and for partners of the
/// highest state; the roots are known. `next`: lowest value seen above the states. `number`: index
/// of the search in the solution. `product_budget`: limit of products. `goes_on`: called after each
/// product; false stops. Also finds a close neighbour above, with which the highest state may be
/// mixed, if the budget allows.
SearchOutcome search_below(const Task& task, RitzBasis& basis, const Roots& roots,
                           std::optional<double> next, int number, Index product_budget,
                           const std::function<bool()>& goes_on);

/// Searches below an edge between the energy of the highest state and the one before it, if more
/// states share that energy than can be excluded. `otherwise`: the end if that is inconclusive.
SearchOutcome search_lower(const Task& task, RitzBasis& basis, const Roots& roots,
                           SearchEnd otherwise, int number, Index product_budget,
                           const std::function<bool()>& goes_on);

}  // namespace cisolve::solver
