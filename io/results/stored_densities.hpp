#pragma once

#include <string>
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
  std::vector<std::vector<double>> transition = {};    // from the first state to each other one
  std::vector<std::vector<double>> two_particle = {};  // summed over spins; empty: not saved
};

/// Entropies of the active orbitals in each state, one vector per state.
struct StoredEntropies {
  std::vector<Index> orbitals = {};              // active ones, from 1 in the problem's order
  std::vector<std::vector<double>> single = {};  // S_i
  std::vector<std::vector<double>> mutual = {};  // I_ij = S_i + S_j - S_ij, row-major
};

/// Natural transition orbitals from the first state, one vector per other state, and those of whole
/// levels. Each holds alpha, then beta; orbitals are rows over the active ones.
struct StoredTransitionOrbitals {
  std::vector<Index> orbitals = {};               // active ones, from 1 in the problem's order
  std::vector<std::vector<double>> weights = {};  // squared singular values, the largest first
  std::vector<std::vector<double>> holes = {};
  std::vector<std::vector<double>> particles = {};
  std::vector<Index> level_first = {};   // first state of each level, from 1
  std::vector<Index> level_states = {};  // number of its states
  std::vector<std::vector<double>> level_hole_weights = {};
  std::vector<std::vector<double>> level_particle_weights = {};
  std::vector<std::vector<double>> level_holes = {};
  std::vector<std::vector<double>> level_particles = {};
};

}  // namespace cisolve::io
