#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "job/products/product.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "job/request/phase_times.hpp"
#include "job/run/selection.hpp"
#include "job/states/state_analysis.hpp"
#include "solver/task/result.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// How a job ended. Failed verification takes precedence over missing convergence.
enum class End { done, not_converged, verification_failed, interrupted };

/// All that a job found. `result` and its evaluation are set if states were requested.
struct Outcome {
  End end = End::done;
  int ranks = 1;                         // all of the job, idle ones included
  std::optional<base::Backend> backend;  // of the operator
  Plan plan;                             // by which it was built
  std::string links = {};                // transport of vectors between devices of ranks
  MeasuredProduct product;
  std::optional<solver::Result> result;  // its vectors end up on the host
  std::optional<solver::Verification> verification;
  std::optional<StateAnalysis> analysis;               // of determinants or site states
  std::optional<Selection> selection;                  // of a selected space
  std::unique_ptr<const DeterminantProblem> molecule;  // over whose determinants they are
  std::vector<Fallback> fallbacks;
  PhaseTimes times;

  /// Whether all requested states were found, converged and verified.
  bool is_good() const { return end == End::done; }
};

}  // namespace cisolve::job
