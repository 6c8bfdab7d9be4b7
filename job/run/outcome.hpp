#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "job/request/phase_times.hpp"
#include "job/results/job_results.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

struct DeterminantProblem;
struct Plan;

/// How a job ended. Failed verification takes precedence over missing convergence.
enum class End { done, not_converged, verification_failed, interrupted };

/// All that a job found. `result` and its evaluation are set if states were requested.
struct Outcome {
  End end = End::done;
  int ranks = 1;                         // every rank of the job, idle ones included
  std::optional<base::Backend> backend;  // backend of the operator
  std::shared_ptr<const Plan> plan;      // plan of the operator; null before it is built
  std::string links = {};                // transport of vectors between devices of ranks
  MeasuredProduct product;
  std::optional<solver::Result> result;  // holds its vectors on the host in the end
  std::optional<solver::Verification> verification;
  std::optional<StateAnalysis> analysis;  // analysis of determinants or site states
  std::optional<Selection> selection;     // history of a selected space
  std::shared_ptr<const DeterminantProblem>
      determinant_problem;  // over whose determinants they are
  std::vector<Fallback> fallbacks;
  PhaseTimes times;

  /// Whether all requested states were found, converged and verified.
  bool is_good() const { return end == End::done; }
};

}  // namespace cisolve::job
