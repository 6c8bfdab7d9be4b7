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

/// How a job ended. What is worse counts: a state that failed its verification counts for more than
/// one that did not converge.
enum class End { done, not_converged, verification_failed, interrupted };

/// All that a job found. `result`, and what follows from it, is there where states were asked for.
struct Outcome {
  End end = End::done;
  int ranks = 1;                         // that worked on it, or waited for one that did
  std::optional<base::Backend> backend;  // that the matrix lay on
  Plan plan;                             // and how
  std::string links = {};                // what carries vectors between devices of many ranks
  MeasuredProduct product;
  std::optional<solver::Result> result;  // in the end with vectors on the host
  std::optional<solver::Verification> verification;
  std::optional<StateAnalysis> analysis;               // of determinants or spins
  std::optional<Selection> selection;                  // of a selected space
  std::unique_ptr<const DeterminantProblem> molecule;  // that they are made over
  std::vector<Fallback> fallbacks;
  PhaseTimes times;

  /// Whether every state that was asked for is there, converged and verified.
  bool is_good() const { return end == End::done; }
};

}  // namespace cisolve::job
