#pragma once

#include <vector>

#include "ci/integrals/integrals.hpp"

namespace cisolve::ci {

/// Integrals up to this size count as those that vanish. It is less than what the labels of a file
/// are forgiven (kSymmetryTolerance), since nobody but the integrals speaks for labels that are
/// found; rounding of programs that wrote them reaches 1e-11.
inline constexpr double kFoundTolerance = 1e-10;
/// The same where all integrals are small, of whatever unit.
double found_tolerance(const Integrals& integrals);

/// What a label of three bits can tell apart: as many symmetries as D2h has.
inline constexpr int kMostGenerators = 3;

/// Symmetries that change nothing but the signs of orbitals.
struct FoundSymmetry {
  std::vector<int> labels;  // XOR labels of the orbitals, 0 of the first; all 0 where none is found
  int left_out = 0;         // independent ones beyond those that labels hold
};

/// Finds all ways to give each orbital a parity under which no integral is odd, of either spin and
/// of both, but for that in which all are alike. An alpha and a beta orbital of one number share
/// it. Three independent ones make the labels; where there are more, those that divide the orbitals
/// most evenly. A function of which integrals vanish alone.
FoundSymmetry find_symmetry(const Integrals& integrals);

}  // namespace cisolve::ci
