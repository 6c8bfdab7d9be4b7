#pragma once

#include <cstdint>

namespace cisolve::base {

/// Rows, dimensions, counts, offsets and bytes. Always 64 bits, so that products do not overflow a
/// narrower type.
using Index = std::int64_t;

/// Column index or row length in a stored matrix; 32 bits halve the memory traffic. Widened to
/// Index before any arithmetic.
using Column = std::int32_t;

inline constexpr Index kLargestDimension = INT32_MAX;

}  // namespace cisolve::base
