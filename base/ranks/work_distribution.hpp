#pragma once

#include <span>

#include "base/ranks/layout.hpp"

namespace cisolve::base {

/// Canonical layout of adjacent rows with about equal work per rank, cut between items; item i has
/// work[i] and rows[i]. Ranks beyond the number of items get none.
Layout distribute_work(std::span<const double> work, std::span<const Index> rows, int ranks);

}  // namespace cisolve::base
