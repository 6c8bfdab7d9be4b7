#pragma once

#include <vector>

#include "ci/integrals/integrals.hpp"
#include "ci/models/lattice.hpp"

namespace cisolve::ci {

/// Orthonormal orbitals: coefficient [p * orbitals + i] is that of site (or old orbital) i in new
/// orbital p.
struct OrbitalBasis {
  int orbitals = 0;
  std::vector<double> coefficients;
  std::vector<int> irreps;  // XOR labels
};

/// The orbitals in which hopping is diagonal, lowest energy first for t > 0: sines in an open
/// direction, cosines and sines of the allowed momenta in a periodic one. Their labels are the
/// Abelian symmetries that real orbitals can have: in each direction of more than one site the
/// reflection, and for a periodic one of even length the translation by half of it, which is the
/// momentum modulo 2. (A momentum of its own for every state needs complex orbitals.) Of four such
/// symmetries of a torus the last is left out, since there are 8 labels.
OrbitalBasis standing_waves(const LatticeShape& shape);

/// The same Hamiltonian over other orbitals, in n^5 operations. The basis is orthonormal. Irreps
/// are those of the basis where all integrals agree with them, else 0.
Integrals rotated(const Integrals& integrals, const OrbitalBasis& basis, const base::Backend& host);

}  // namespace cisolve::ci
