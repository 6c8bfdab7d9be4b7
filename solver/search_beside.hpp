#pragma once

#include <functional>
#include <optional>

#include "solver/ritz_basis.hpp"
#include "solver/task.hpp"

namespace cisolve::solver {

struct SearchOutcome {
  bool excluded = false;       // no state below the highest one was missed
  bool has_direction = false;  // to something new, in the first free column of the basis
};

/// The free columns that a search uses where the basis has them; else it takes memory of its own.
int search_columns(int states);

/// Looks for states that were missed beside the lowest Ritz vectors of a basis, and for such as
/// share the energy of the highest state, of which `beyond` are known. `next` is the lowest value
/// seen above the states, `number` tells one search of a solution from another, `tell` is asked
/// after each product whether to go on. A neighbour above that is so near that the highest state
/// may be mixed with it is pointed to as well.
SearchOutcome search_beside(const Task& task, RitzBasis& basis, int beyond,
                            std::optional<double> next, int number,
                            const std::function<bool()>& tell);

}  // namespace cisolve::solver
