#pragma once

#include <vector>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/models/lattice.hpp"

namespace cisolve::ci {

/// Orthonormal orbitals: coefficients[p * orbitals + i] is that of site (or old orbital) i in new
/// orbital p.
struct OrbitalBasis {
  int orbitals = 0;
  std::vector<double> coefficients;
  std::vector<int> irreps;  // XOR labels
};

/// Orbitals that diagonalise the hopping, lowest energy first for t > 0: sines in an open
/// direction, cosines and sines of the allowed momenta in a periodic one. Labels are the Abelian
/// symmetries of real orbitals: the reflection in each direction of more than one site and, for a
/// periodic one of even length, the translation by half of it (momentum modulo 2; full momentum
/// needs complex orbitals). A torus has four; the last is left out, since there are 8 labels.
OrbitalBasis standing_waves(const LatticeShape& shape);

/// Transforms integrals to another orthonormal basis, O(n^5). Sets the irreps of the basis if all
/// integrals agree with them, else 0.
Integrals rotated(const Integrals& integrals, const OrbitalBasis& basis, const base::Backend& host);

}  // namespace cisolve::ci
