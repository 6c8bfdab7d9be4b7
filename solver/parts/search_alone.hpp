#pragma once

#include <functional>

#include "solver/search/missed_states.hpp"

namespace cisolve::solver {

/// A search for states of a problem of which none is known, and to what it has found.
struct SearchAlone {
  Search search;
  double seconds = 0;  // of its products
  bool has_room = false;
  bool is_close = false;                       // what it sees may lie at the shift itself
  std::optional<base::MultiVector> direction;  // to a state below
};

/// Looks for any state below `shift`, in at most `most` products. `lowest` is an energy that the
/// lowest state does not exceed, `tell` is asked after each product whether to go on.
SearchAlone search_alone(const Problem& problem, const Options& options, double shift,
                         double lowest, Index most, const std::function<bool()>& tell);

}  // namespace cisolve::solver
