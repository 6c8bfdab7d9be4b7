#pragma once

#include "ci/sectors/spin_orbits.hpp"

namespace cisolve::ci {

/// The least words of all orbits, ascending, in the memory of the host: found on a backend, which
/// tries every word; `orbits` serve the host.
base::Array<SpinWord> least_words(const SpinWords& words, const SpinSector& sector,
                                  const SpinOrbits& orbits, const base::Backend& backend);

namespace cuda {
base::Array<SpinWord> least_words(const SpinWords& words, const SpinSector& sector,
                                  const base::Backend& device);
}  // namespace cuda

/// Words that are tried together: counted first, and written then.
inline constexpr Index kWordsAtOnce = 1 << 14;

inline Index parts_of(const SpinWords& words) {
  return (words.count() + kWordsAtOnce - 1) / kWordsAtOnce;
}

}  // namespace cisolve::ci
