#pragma once

#include "ci/lattice/sectors/symmetry_orbits.hpp"

namespace cisolve::ci {

/// The representatives (least words) of all orbits, ascending, in host memory. Every word is tested
/// on `backend`; `orbits` is used on the host only.
base::Array<BasisState> find_representatives(const BasisStates& words, const SymmetrySector& sector,
                                             const SymmetryOrbits& orbits,
                                             const base::Backend& backend);

namespace cuda {
base::Array<BasisState> find_representatives(const BasisStates& words, const SymmetrySector& sector,
                                             const base::Backend& device);
}  // namespace cuda

/// Words per chunk; each chunk is counted first, then written.
inline constexpr Index kWordsAtOnce = 1 << 14;

inline Index parts_of(const BasisStates& words) {
  return (words.count() + kWordsAtOnce - 1) / kWordsAtOnce;
}

}  // namespace cisolve::ci
