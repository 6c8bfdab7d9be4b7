#pragma once

#include "solver/search/search_beside.hpp"

namespace cisolve::solver {

/// Looks for states that were missed between an energy and the farthest of the states that are
/// nearest to it, on both sides, as search_beside() looks below. Each step takes two products.
SearchOutcome search_around(const Task& task, RitzBasis& basis, const Roots& roots, int number,
                            Index allowance, const std::function<bool()>& tell);

}  // namespace cisolve::solver
