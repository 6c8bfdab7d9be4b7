#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"

namespace cisolve::solver {

/// Maps doubles to integers in the same order: -0 equals +0, NaN is above infinity.
CISOLVE_HOST_DEVICE inline std::uint64_t ordered_key(double value) {
  if (value != value) return UINT64_MAX;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Smallest value in [low, high] with reached(value), which must be monotonic and hold for high.
template <class Integer, class Predicate>
Integer first_that(Integer low, Integer high, Predicate reached) {
  while (low < high) {
    const Integer middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace cisolve::solver
