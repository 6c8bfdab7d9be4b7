#pragma once

#include <vector>

#include "ci/properties/density.hpp"
#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Adds natural transition orbitals from the first state to each other one, if analysis.orbitals
/// asks for them: gamma_pq = <first| a+_p a_q |state> = sum_k s_k hole_k(p) particle_k(q) of each
/// spin, with the weights s_k^2. If states share an energy, adds those of each level as a whole:
/// eigenvectors of the sum of gamma gamma^T (holes) and of gamma^T gamma (particles) over its
/// states, averaged over the states of the first level, which do not depend on how states of one
/// energy are combined.
///
/// Takes the densities that `analysis` keeps, and others from the vectors of `result`, which lie
/// whole in the host's memory. Throws ErrorKind::resources if the budget cannot hold the orbitals;
/// the analysis is then as before.
void add_transition_orbitals(const DeterminantProblem& molecule, const Request& request,
                             const solver::Result& result, StateAnalysis& analysis);

/// (sum w)^2 / sum w^2: the number of orbital pairs that share the weights `first` to `last`; 0
/// without weight.
double participation(const double* first, const double* last);

}  // namespace cisolve::job
