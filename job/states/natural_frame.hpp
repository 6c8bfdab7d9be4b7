#pragma once

#include <optional>

#include "base/small_matrix.hpp"
#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Natural orbitals over the active ones, in which integrals can be written anew.
struct NaturalFrame {
  base::SmallMatrix orbitals;       // columns
  std::vector<double> occupations;  // the largest first
  std::vector<int> irreps = {};     // XOR labels; empty unless each orbital has one
};

/// Natural orbitals of a state (from 0), or of the mean density of all states, from the densities
/// that `analysis` keeps. Orbitals of one irrep are combined among themselves if the density
/// permits. None without densities, or if integrals depend on spin.
std::optional<NaturalFrame> natural_frame(const DeterminantProblem& molecule,
                                          const StateAnalysis& analysis,
                                          std::optional<std::size_t> state);

}  // namespace cisolve::job
