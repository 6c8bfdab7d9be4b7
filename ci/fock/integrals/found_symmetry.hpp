#pragma once

#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

/// Integrals up to this size (Hartree) count as zero in the search for labels; rounding in files
/// reaches 1e-11. Stricter than kSymmetryTolerance, which is for labels that a file states: for
/// labels that are found the integrals are the only evidence.
inline constexpr double kFoundTolerance = 1e-10;
/// kFoundTolerance times min(1, largest integral).
double found_tolerance(const Integrals& integrals);

/// Independent symmetries that a label of three bits holds, as many as D2h has.
inline constexpr int kMostGenerators = 3;

/// Symmetries that only change signs of orbitals.
struct FoundSymmetry {
  std::vector<int>
      labels;        // XOR labels of the orbitals; 0 for the first, all 0 if no symmetry is found
  int left_out = 0;  // independent symmetries beyond kMostGenerators
};

/// Finds all assignments of parities to orbitals for which every integral (of both spins) is even,
/// the trivial one aside; alpha and beta orbitals of one number share a parity. Up to three
/// independent ones become the labels; if there are more, three that divide the orbitals evenly.
/// Depends only on which integrals vanish.
FoundSymmetry find_symmetry(const Integrals& integrals);

}  // namespace cisolve::ci
