#pragma once

#include <vector>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

/// Entropies of orbitals in a state, in units of k_B (natural logarithms). S = -sum w ln w over the
/// eigenvalues w of a reduced density matrix: S_i of orbital i with its four occupations, S_ij of
/// orbitals i and j together with their sixteen. Alpha and beta orbital i count as one orbital.
struct OrbitalEntropies {
  std::vector<double> single;  // S_i
  /// I_ij = S_i + S_j - S_ij, without the factor 1/2 of Rissler, Noack and White, Chem. Phys. 323,
  /// 519 (2006); n x n, symmetric, zero on the diagonal.
  std::vector<double> mutual;
};

/// `x`: a normalised vector over the space in canonical order, in the host's memory. Runs on the
/// threads of the space's host, each of which holds a few bytes per string. Costs about n (n - 1) /
/// 2 passes over the vector for n orbitals. The result does not depend on the number of threads.
OrbitalEntropies orbital_entropies(const Space& space, const double* x);

}  // namespace cisolve::ci
