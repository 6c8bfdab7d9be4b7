#pragma once

#include "solver/search/search_below.hpp"

namespace cisolve::solver {

/// Searches for missed states within the distance of the farthest state from an energy, on both
/// sides; as search_below(). Each step takes two products.
SearchOutcome search_around(const Task& task, RitzBasis& basis, const Roots& roots, int number,
                            Index product_budget, const std::function<bool()>& goes_on);

}  // namespace cisolve::solver
