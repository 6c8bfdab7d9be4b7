#pragma once

#include <memory>
#include <optional>

#include "job/problem/independent_problem.hpp"
#include "job/problem/input_files.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/products/product.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "job/run/background_reading.hpp"
#include "job/run/host_state_buffer.hpp"
#include "job/run/job_context.hpp"
#include "job/run/solved_operator.hpp"
#include "job/run/state_vectors.hpp"
#include "job/states/solver_adapter.hpp"
#include "job/states/start_states.hpp"

// The stages of a job: open, plan, solve, verify, describe, settle. Each takes the value that the
// one before returned; what it does not pass on is freed when it ends.
namespace cisolve::job {

/// An opened problem, ready to be planned.
struct OpenJob {
  InputFiles inputs;
  ProblemRows rows = {};
  StartStates given = {};      // states to begin with and states to follow, from files
  MatrixEstimate counts = {};  // what is known without counting rows
  ProductDrafts computed =
      {};                 // tables made to rank the plans, of which one may become the operator
  base::Backend backend;  // same kind on all ranks
  base::Backend host;
  bool is_small = false;  // whether it is so small that no device was started
};

/// A problem, its ranked plans and the ranks that solve it.
struct PlannedJob {
  OpenJob problem;
  PlanFallback plans;
  std::unique_ptr<const SolverAdapter> view;  // null if no states are requested
  const base::Communicator* workers;          // every rank, or the first alone
};

/// Input of the verification; the states themselves are in the record.
struct SolvedJob {
  InputFiles inputs;
  base::Backend host;
  Plan plan;
  std::unique_ptr<SolvedOperator> matrix;  // null on idle ranks
  BackgroundReading second;
  HostStateBuffer host_state_buffer;
};

/// Opens the problem while the backend starts.
OpenJob open(const JobContext& job);

/// Ranks the plans, equally on all ranks, and reports the opened problem to the listener. The
/// backend becomes that of the first plan.
PlannedJob plan(const JobContext& job, OpenJob problem);

/// Builds the operator and finds the states, by the first plan whose memory suffices.
SolvedJob solve(const JobContext& job, PlannedJob planned);

/// Rank 0: verifies the states against a second reading of the problem, which is returned for their
/// description.
std::unique_ptr<IndependentProblem> verify(const JobContext& job, SolvedJob solved,
                                           StateVectors& vectors);

/// Rank 0: describes the states. Leaves the vectors on the host, and the molecule in the record.
void describe(const JobContext& job, std::unique_ptr<IndependentProblem> second,
              StateVectors& vectors);

/// Rank 0: decides how the job ends and reports the complete record to the listener.
void settle(const JobContext& job);

/// Other ranks: executes the requests of rank 0 while it verifies.
void work_for_first_rank(const JobContext& job, SolvedJob solved);

}  // namespace cisolve::job
