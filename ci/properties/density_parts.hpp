#pragma once

#include <algorithm>
#include <span>

#include "base/loops.hpp"
#include "ci/fock/spaces/space.hpp"

// Densities summed in a fixed number of parts and in a fixed order, whatever the number of threads.
namespace cisolve::ci {

inline constexpr Index kDensityParts = 16;

/// Bytes that the parts of a density may take.
inline Index density_parts_budget(const Space& space) {
  constexpr Index kMost = Index{1} << 30;
  return std::min(kMost, space.host().host_memory().left() / 4);
}

/// Calls add(part, sum) for each of `parts` parts, and adds their sums to `mixed`.
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
