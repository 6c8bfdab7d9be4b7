#pragma once

#include "job/problem/site_problem.hpp"
#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Rotates degenerate states of a site problem until they have a total spin, if the model conserves
/// it; see resolve_degenerate().
std::vector<bool> rotate_degenerate_states(const SiteProblemRows& spins, const Request& request,
                                           solver::Result& result);

/// Describes the states of a site problem; the vectors of `result` are in host memory, and `there`
/// are the same, for correlations, on any backend. An energy recomputed from these that differs
/// from the state's is a failure.
StateAnalysis analyse(const SiteProblemRows& spins, const Request& request,
                      const solver::Result& result, const base::MultiVector& there);

}  // namespace cisolve::job
