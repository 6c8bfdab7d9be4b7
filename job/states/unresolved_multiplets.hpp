#pragma once

#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

/// The first state, from 0, that shares the energy of the last one: neighbours are at most a width
/// apart.
int first_of_last_energy(const solver::Result& result, double width);

/// Marks states that share their energy with others and have no pure spin or no irrep: a cut
/// multiplet leaves a mixture that depends on the start of the search, and so does one that could
/// not be rotated.
void mark_unresolved_multiplets(const solver::Result& result, const solver::CutMultiplet& beyond,
                                bool has_irreps, StateAnalysis& analysis);

}  // namespace cisolve::job
