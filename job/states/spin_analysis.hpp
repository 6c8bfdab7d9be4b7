#pragma once

#include "job/problem/site_problem.hpp"
#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Rotates degenerate states of spins until they have a total spin, where the model keeps it; see
/// resolve_degenerate().
std::vector<bool> purify(const SiteProblemRows& spins, const Request& request,
                         solver::Result& result);

/// Describes the states of spins, whose vectors lie in the host's memory and, for correlations,
/// `there`. An energy recomputed from these that differs from the state's is a failure.
StateAnalysis analyse(const SiteProblemRows& spins, const Request& request,
                      const solver::Result& result, const base::MultiVector& there);

}  // namespace cisolve::job
