#pragma once

#include "solver/search/search_beside.hpp"

namespace cisolve::solver {

/// Searches for missed states within the distance of the farthest state from an energy, on both
/// sides; as search_below(). Each step takes two products.
SearchOutcome search_around(const Task& task, RitzBasis& basis, const Roots& roots, int number,
                            Index allowance, const std::function<bool()>& tell);

}  // namespace cisolve::solver
