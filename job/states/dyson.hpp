#pragma once

#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Throws ErrorKind::bad_input, with the remedy, unless analysis.dyson is empty or names the
/// results of a job with the same integrals and one electron fewer or more.
void require_dyson_partner(const Request& request, const DeterminantProblem& molecule,
                           const base::Backend& host);

/// Adds the Dyson orbitals between the states of a result and those of analysis.dyson to the
/// analysis; nothing if that is empty. The vectors of `result` lie whole in the host's memory.
/// Throws as require_dyson_partner(), and ErrorKind::resources if memory does not suffice.
void add_dyson_orbitals(const DeterminantProblem& molecule, const Request& request,
                        const solver::Result& result, StateAnalysis& analysis);

}  // namespace cisolve::job
