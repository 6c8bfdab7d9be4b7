#pragma once

#include <algorithm>
#include <span>

#include "base/loops.hpp"
#include "ci/spaces/space.hpp"

// Densities that threads sum in parts, which are added up in one order whatever their number.
namespace cisolve::ci {

inline constexpr Index kDensityParts = 16;

/// No more memory than a density may take beside its own.
inline Index room_for_density_parts(const Space& space) {
  constexpr Index kMost = Index{1} << 30;
  return std::min(kMost, space.host().host_memory().left() / 4);
}

/// Calls add(part, sum) for each of so many parts, and adds their sums to `mixed`.
template <class Add>
void add_in_parts(const Space& space, Index parts, std::span<double> mixed, const Add& add) {
  const Index size = std::ssize(mixed);
  base::Array<double> sums(space.host(), parts * size, "parts of a density");
  std::ranges::fill(sums.span(), 0.0);
  base::for_each_chunk(parts, 1, space.host(), [&](Index part, Index) {
    add(part, sums.span().subspan(part * size, size));
  });
  for (Index part = 0; part < parts; ++part)
    for (Index i = 0; i < size; ++i) mixed[i] += sums[part * size + i];
}

}  // namespace cisolve::ci
