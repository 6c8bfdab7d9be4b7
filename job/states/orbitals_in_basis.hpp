#pragma once

#include <array>
#include <vector>

#include "base/small_matrix.hpp"
#include "ci/fock/basis/molecular_orbitals.hpp"
#include "ci/properties/density.hpp"
#include "io/results/stored_densities.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"

// States over the basis functions of a problem that brings its orbitals: problem.molecular_orbitals
// must not be null.
namespace cisolve::job {

/// Orbitals, functions of the basis by orbitals. sum_k weights_k |orbital_k|^2 is a density.
struct WeightedOrbitals {
  base::SmallMatrix coefficients{0, 0};
  std::vector<double> weights = {};
};

/// The density of a state among those that are kept.
ci::OneParticleDensity kept_density(const io::StoredDensities& kept, std::size_t state);

/// Orbitals over the basis functions, given over the active orbitals of a spin: a column for each.
base::SmallMatrix in_basis(const DeterminantProblem& problem, ci::Spin spin,
                           const base::SmallMatrix& over_active);

/// The orbitals of a problem: inactive ones, which are part of the integrals, first, then all
/// orbitals of the problem, the lowest occupied; of spin-dependent orbitals those of one spin.
WeightedOrbitals problem_orbitals(const DeterminantProblem& problem, ci::Spin spin);

/// Natural orbitals of the density of both spins with their occupations, the largest first;
/// inactive and frozen ones have 2, orbitals outside of the space 0.
WeightedOrbitals natural_orbitals(const DeterminantProblem& problem,
                                  const ci::OneParticleDensity& density);

/// Orbitals that make the density of alpha less the density of beta electrons.
WeightedOrbitals spin_density_orbitals(const DeterminantProblem& problem,
                                       const ci::OneParticleDensity& density);

/// The density matrices of alpha and of beta electrons over the basis functions, inactive and
/// frozen ones included.
std::array<base::SmallMatrix, 2> density_in_basis(const DeterminantProblem& problem,
                                                  const ci::OneParticleDensity& density);

/// Populations of atoms. Mulliken: sum over the functions of an atom of (D S)_kk; Loewdin: of
/// (S^1/2 D S^1/2)_kk.
class PopulationAnalysis {
 public:
  explicit PopulationAnalysis(const DeterminantProblem& problem);

  Populations of(const ci::OneParticleDensity& density) const;

 private:
  const DeterminantProblem& problem_;
  std::vector<int> nucleus_;  // of each function
  std::array<base::SmallMatrix, 2> orbitals_;
  std::array<base::SmallMatrix, 2> by_overlap_;  // S C
  std::array<base::SmallMatrix, 2> by_root_;     // S^1/2 C
};

}  // namespace cisolve::job
