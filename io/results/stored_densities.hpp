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
  std::vector<std::vector<double>> transition = {};  // one from the first state to each other state
  std::vector<std::vector<double>> two_particle = {};  // summed over spins; empty: not saved
};

/// Entropies of the active orbitals in each state, one vector per state.
struct StoredEntropies {
  std::vector<Index> orbitals = {};              // active ones, from 1 in the problem's order
  std::vector<std::vector<double>> single = {};  // S_i
  std::vector<std::vector<double>> mutual = {};  // I_ij = S_i + S_j - S_ij, row-major
};

/// Dyson orbitals <fewer| a_q |more> between the states of a job and those of another one, whose
/// electrons are one fewer or more. Pairs are numbered state by state, in each by the other's.
struct StoredDyson {
  std::string source;              // the other's results
  std::string spin;                // of the electron: "alpha" or "beta"
  bool others_have_fewer = false;  // electrons: the states of this job are ionised
  std::vector<double> other_energies = {};
  std::vector<double> energies = {};               // E(fewer) - E(more) of each pair, Hartree
  std::vector<double> pole_strengths = {};         // squared norm of each orbital
  std::vector<std::vector<double>> orbitals = {};  // of each pair, over all of the problem
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
