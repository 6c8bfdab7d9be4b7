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

// The stages of a job: open, plan, solve, verify, describe, settle. Each takes what the one before
// has returned; what a stage does not pass on ends with it.
namespace cisolve::job {

/// A problem that can be planned for.
struct OpenJob {
  InputFiles inputs;
  ProblemRows rows = {};
  StartStates given = {};      // states to begin with and states to follow, from files
  MatrixEstimate counts = {};  // as far as is known without counting
  ProductDrafts computed =
      {};                 // tables made to rank the plans, of which one may become the operator
  base::Backend backend;  // of one kind on all ranks
  base::Backend host;
  bool is_small = false;  // so that no device was started
};

/// A problem, the ways to solve it, and who does.
struct PlannedJob {
  OpenJob problem;
  PlanFallback plans;
  std::unique_ptr<const SolverAdapter> view;  // null where no states are asked for
  const base::Communicator* workers;          // all ranks, or the first alone
};

/// Input of the verification; the states themselves are in the record.
struct SolvedJob {
  InputFiles inputs;
  base::Backend host;
  Plan plan;
  std::unique_ptr<SolvedOperator> matrix;  // null on a rank that had no part in the work
  BackgroundReading second;
  HostStateBuffer host_state_buffer;
};

/// Opens the problem, and the backend beside it.
OpenJob open(const JobContext& job);

/// Ranks the plans, the same on all ranks, and tells the listener of the problem that was opened.
/// The backend becomes that of the first plan.
PlannedJob plan(const JobContext& job, OpenJob problem);

/// Builds the operator and finds the states, by the first plan that there is memory for.
SolvedJob solve(const JobContext& job, PlannedJob planned);

/// On the first rank: holds the states against a second reading of the problem, by which they are
/// described later.
std::unique_ptr<IndependentProblem> verify(const JobContext& job, SolvedJob solved,
                                           StateVectors& vectors);

/// On the first rank: says what the states are. Leaves the vectors on the host, and the molecule in
/// the record.
void describe(const JobContext& job, std::unique_ptr<IndependentProblem> second,
              StateVectors& vectors);

/// On the first rank: decides how the job ends and tells the listener, to whom the record is whole
/// now.
void settle(const JobContext& job);

/// On the other ranks: what the first one asks for while it verifies.
void work_for_first_rank(const JobContext& job, SolvedJob solved);

}  // namespace cisolve::job
