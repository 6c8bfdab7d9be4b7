#pragma once

#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

/// The first of the states, from 0, that share the energy of the last one: each lies no more than a
/// width below the next.
int first_of_last_energy(const solver::Result& result, double width);

/// Marks the states that share their energy with others and have no clean spin or no irrep: a cut
/// multiplet leaves a mixture that depends on the start of the search, and so does one that could
/// not be rotated.
void mark_unresolved_multiplets(const solver::Result& result, const solver::CutMultiplet& beyond,
                                bool has_irreps, StateAnalysis& analysis);

}  // namespace cisolve::job
