#pragma once

#include <cstdint>

namespace cisolve::base {

/// Rows, dimensions, counts, offsets and bytes. Always 64 bits, so that no product of two of them
/// is taken in a narrower type.
using Index = std::int64_t;

/// A column index or a row length as a stored matrix keeps it; 32 bits halve the memory traffic.
/// It is widened to Index before any arithmetic.
using Column = std::int32_t;

inline constexpr Index kLargestDimension = INT32_MAX;

}  // namespace cisolve::base
