#pragma once

#include <vector>

#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"
#include "job/states/leading_configurations.hpp"
#include "job/states/properties.hpp"
#include "job/states/site_correlations.hpp"
#include "job/states/size_corrections.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

bool has_irreps(const DeterminantProblem& molecule);

/// Rotates degenerate states of a result, on the backend of their vectors, until total spins, if
/// defined, and irreps are pure; see resolve_degenerate().
std::vector<bool> rotate_degenerate_states(const DeterminantProblem& molecule,
                                           const Request& request, solver::Result& result);

/// Describes the states of a result, whose whole vectors are in host memory; `vectors` are the same
/// on any backend, for the costly parts. An energy recomputed from the densities that differs from
/// the state's is a failure.
StateAnalysis analyse(const DeterminantProblem& molecule, const Request& request,
                      const solver::Result& result, const base::MultiVector& vectors);

}  // namespace cisolve::job
