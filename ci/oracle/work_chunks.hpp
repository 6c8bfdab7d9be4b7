#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

/// Offsets of contiguous chunks of items, and the end. Each chunk has at most 1 / `parts` of the
/// work unless it is a single item.
std::vector<base::Index> work_chunks(std::span<const double> work, base::Index parts);

}  // namespace cisolve::ci
