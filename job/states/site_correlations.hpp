#pragma once

#include "ci/lattice/spins/correlation_functions.hpp"
#include "ci/properties/density.hpp"
#include "job/problem/lattice_problem.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// Correlations of localised spins, or of electrons in a basis of site states.
SiteCorrelations site_correlations(const LatticeProblem& lattice,
                                   const ci::CorrelationFunctions& correlations);

/// Correlations of electrons whose orbitals are the sites.
SiteCorrelations site_correlations(const LatticeProblem& lattice, const ci::OneParticleDensity& one,
                                   const ci::TwoParticleDensity& two);

}  // namespace cisolve::job
