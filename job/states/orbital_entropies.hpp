#pragma once

#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Adds the entropies of orbitals and their mutual information to an analysis if analysis.entropies
/// requests them. The vectors of `result` are whole, in host memory. Throws ErrorKind::resources if
/// the budget cannot hold them; the analysis is then as before.
void add_entropies(const DeterminantProblem& molecule, const Request& request,
                   const solver::Result& result, StateAnalysis& analysis);

}  // namespace cisolve::job
