#pragma once

#include "job/problem/spin_problem.hpp"
#include "job/states/state_analysis.hpp"

namespace cisolve::job {

/// Rotates degenerate states of spins until they have a total spin, where the model keeps it; see
/// resolve_degenerate(). The vectors lie in the host's memory.
std::vector<bool> purify(const SpinProblemRows& spins, const Request& request,
                         solver::Result& result);

/// Describes the states of spins, whose vectors lie in the host's memory. An energy recomputed from
/// the correlations that differs from the state's is a failure.
StateAnalysis analyse(const SpinProblemRows& spins, const Request& request,
                      const solver::Result& result);

}  // namespace cisolve::job
