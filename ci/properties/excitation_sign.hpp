#pragma once

#include <bit>
#include <cstdint>

#include "ci/fock/strings/string.hpp"

// Signs of excitations for densities and <S^2>, computed independently of the builders: densities
// that reproduce the energy confirm both.
namespace cisolve::ci {

/// Whether a_p or a+_p changes the sign: an odd number of electrons in orbitals below p.
inline bool passes_odd(const String& string, int p) {
  std::uint64_t passed = string.words()[p / 64] & ~(~std::uint64_t{0} << (p % 64));
  for (int w = p / 64 - 1; w >= 0; --w) passed ^= string.words()[w];  // parities add up
  return (std::popcount(passed) & 1) != 0;
}

/// Whether a+_to a_from changes the sign.
inline bool excitation_changes_sign(const String& string, int from, int to) {
  return passes_odd(string, from) != passes_odd(string.without(from), to);
}

}  // namespace cisolve::ci
