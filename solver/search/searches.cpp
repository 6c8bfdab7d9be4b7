#include "solver/search/searches.hpp"

#include <algorithm>

#include "solver/search/search_around.hpp"
#include "solver/search/search_below.hpp"

namespace cisolve::solver {
namespace {

constexpr int kMostSearches = 50;  // every search but the last has found a state

}  // namespace

bool Searches::searches_around_energy() const {
  return task_.wanted != nullptr && task_.wanted->energy();
}

Index Searches::product_budget() const {
  return search_product_budget(task_.options, dimension_, task_.matrix.products(),
                               result_.search_products);
}

/// Reason not to search; `excluded` if there is none.
SearchEnd Searches::reason_against() const {
  if (task_.options.search == SearchEffort::none) return SearchEnd::not_wanted;
  if (number_ >= kMostSearches) return SearchEnd::too_many;
  return product_budget() > 1 ? SearchEnd::excluded : SearchEnd::out_of_products;
}

bool Searches::find_more(const std::function<bool()>& goes_on) {
  const bool around = searches_around_energy();
  if (task_.wanted != nullptr && !around) return false;  // others may lie below
  if (!around && basis_.size() > roots_.states()) result_.next = basis_.values()[roots_.states()];
  if (basis_.size() >= dimension_) {  // no complement is left
    result_.search = SearchEnd::excluded;
    return false;
  }
  SearchEnd against = reason_against();
  if (against == SearchEnd::excluded && around && roots_.recount_neighbours()) return true;
  if (against == SearchEnd::excluded && !around) {
    if (roots_.recount_beyond()) return true;
    if (roots_.seen_beyond() > roots_.beyond()) return search(goes_on, SearchEnd::crowded);
  }
  if (against == SearchEnd::excluded) return search(goes_on, {});
  if (result_.completeness == Completeness::not_checked) result_.search = against;
  return false;
}

/// Returns true also if the states must be converged again first. `lower`: search below the energy
/// of the last state, which more states share than can be excluded or resolved; the value is the
/// end if that is inconclusive.
bool Searches::search(const std::function<bool()>& goes_on, std::optional<SearchEnd> lower) {
  const int columns = search_columns(task_.options, roots_.count());
  // With its own memory a search needs no free columns, and may exclude all basis vectors.
  const bool has_own_memory =
      basis_.free_columns() > 0 && has_memory_for_search(task_, roots_.count());
  if (basis_.free_columns() < columns && !has_own_memory) {
    const bool is_narrow =
        task_.sizes.capacity - std::max(task_.sizes.kept, roots_.count()) < columns;
    if (is_narrow) basis_.forget();
    roots_.restart(is_narrow ? roots_.states() : task_.sizes.kept);
    ++result_.restarts;
    roots_.find_all_residuals();
    if (!roots_.all_finished()) return true;  // degenerate states were remixed
  }
  const Index before = task_.matrix.products();
  ++number_;
  const SearchOutcome outcome = outcome_of(goes_on, lower);
  const bool has_new_vector = outcome.has_direction && basis_.space().append(1) > 0;
  result_.search_products += task_.matrix.products() - before;
  result_.search = outcome.end;
  result_.edge = outcome.edge;
  if (outcome.end != SearchEnd::shared || !lower)
    result_.search_miss_probability = outcome.miss_probability;
  const bool excluded = outcome.end == SearchEnd::excluded;
  result_.beyond.counted = excluded && !searches_around_energy();
  result_.completeness = excluded ? Completeness::searched : Completeness::not_checked;
  if (has_new_vector) return true;
  // A state at the shift can neither be found nor excluded.
  const bool can_look_lower = outcome.end == SearchEnd::shared && !lower &&
                              !searches_around_energy() && product_budget() > 1;
  if (!can_look_lower) return false;
  if (roots_.halve_width()) return true;
  return reason_against() == SearchEnd::excluded && search(goes_on, SearchEnd::shared);
}

SearchOutcome Searches::outcome_of(const std::function<bool()>& goes_on,
                                   std::optional<SearchEnd> lower) {
  const Index most = product_budget() - 1;
  if (searches_around_energy()) return search_around(task_, basis_, roots_, number_, most, goes_on);
  if (lower) return search_lower(task_, basis_, roots_, *lower, number_, most, goes_on);
  return search_below(task_, basis_, roots_, result_.next, number_, most, goes_on);
}

}  // namespace cisolve::solver
