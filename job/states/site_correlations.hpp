#pragma once

#include <vector>

#include "ci/lattice/spins/correlation_functions.hpp"
#include "ci/properties/density.hpp"
#include "job/problem/lattice_problem.hpp"

namespace cisolve::job {

/// (1/N) sum_ab cos q (r_a - r_b) <o_a o_b> over all sites a, b.
struct StructureFactor {
  std::vector<Index> momentum;  // of each periodic direction, in units of 2 pi over its length
  double spin = 0;              // of S_a . S_b
  double charge = 0;            // of n_a n_b
};

/// Correlations between the sites of a lattice in a state, sites by sites.
struct SiteCorrelations {
  int sites = 0;
  std::vector<double> spin;              // <S_a . S_b>
  std::vector<double> spin_z;            // <S^z_a S^z_b>; empty for electrons
  std::vector<double> charge;            // <n_a n_b>; empty for spins alone
  std::vector<double> up;                // <S^z_a> of spins, <n_a> of electrons
  std::vector<StructureFactor> factors;  // of a lattice with a periodic direction
  double neighbours = 0;                 // the mean of `spin` over nearest neighbours
};

/// For localised spins, or electrons in a basis of site states.
SiteCorrelations site_correlations(const LatticeProblem& lattice,
                                   const ci::CorrelationFunctions& correlations);

/// For electrons whose orbitals are the sites.
SiteCorrelations site_correlations(const LatticeProblem& lattice, const ci::OneParticleDensity& one,
                                   const ci::TwoParticleDensity& two);

}  // namespace cisolve::job
