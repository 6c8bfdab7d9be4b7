#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

/// Where chunks of items that follow one another begin, and the last one ends: none has more than
/// its part of the work, of so many parts, but for what one item has by itself.
std::vector<base::Index> work_chunks(std::span<const double> work, base::Index parts);

}  // namespace cisolve::ci
