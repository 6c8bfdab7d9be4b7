#pragma once

#include <vector>

#include "base/types.hpp"

namespace cisolve::io {

using base::Index;

/// Density matrices of each state over the active orbitals, row-major, one vector per state.
struct StoredDensities {
  std::vector<Index> orbitals = {};                    // active ones, from 1 in the problem's order
  std::vector<std::vector<double>> one_particle = {};  // alpha, then beta
  std::vector<std::vector<double>> natural_orbitals = {};
  std::vector<std::vector<double>> natural_occupations = {};
  std::vector<std::vector<double>> transition = {};  // one from the first state to each other state
  std::vector<std::vector<double>> two_particle = {};  // summed over spins; empty: not saved
};

/// Entropies of the active orbitals in each state, one vector per state.
struct StoredEntropies {
  std::vector<Index> orbitals = {};              // active ones, from 1 in the problem's order
  std::vector<std::vector<double>> single = {};  // S_i
  std::vector<std::vector<double>> mutual = {};  // I_ij = S_i + S_j - S_ij, row-major
};

}  // namespace cisolve::io
