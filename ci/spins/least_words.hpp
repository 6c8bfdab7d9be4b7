#pragma once

#include "ci/spins/spin_orbits.hpp"

namespace cisolve::ci {

/// The least words of all orbits, ascending, in the memory of the host.
struct LeastWords {
  base::Array<SpinWord> words;
  base::Array<std::uint8_t> is_fixed;  // 1 where more than the identity leaves it as it is
};

/// Found on a backend, which tries every word; `orbits` serve the host.
LeastWords least_words(const SpinWords& words, const SpinSector& sector, const SpinOrbits& orbits,
                       const base::Backend& backend);

namespace cuda {
LeastWords least_words(const SpinWords& words, const SpinSector& sector,
                       const base::Backend& device);
}  // namespace cuda

/// Words that are tried together: counted first, and written then.
inline constexpr Index kWordsAtOnce = 1 << 14;

inline Index parts_of(const SpinWords& words) {
  return (words.count() + kWordsAtOnce - 1) / kWordsAtOnce;
}

}  // namespace cisolve::ci
