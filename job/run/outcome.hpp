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
  int ranks = 1;                         // all of the job, idle ones included
  std::optional<base::Backend> backend;  // of the operator
  std::shared_ptr<const Plan> plan;      // by which it was built; null before that
  std::string links = {};                // transport of vectors between devices of ranks
  MeasuredProduct product;
  std::optional<solver::Result> result;  // its vectors end up on the host
  std::optional<solver::Verification> verification;
  std::optional<StateAnalysis> analysis;  // of determinants or site states
  std::optional<Selection> selection;     // of a selected space
  std::shared_ptr<const DeterminantProblem>
      determinant_problem;  // over whose determinants they are
  std::vector<Fallback> fallbacks;
  PhaseTimes times;

  /// Whether all requested states were found, converged and verified.
  bool is_good() const { return end == End::done; }
};

}  // namespace cisolve::job
