#pragma once

#include <memory>
#include <optional>

#include "job/problem/computed.hpp"
#include "job/problem/input_files.hpp"
#include "job/problem/second_reading.hpp"
#include "job/products/product.hpp"
#include "job/ranking/descent.hpp"
#include "job/run/job_context.hpp"
#include "job/run/reading_beside.hpp"
#include "job/run/room_at_home.hpp"
#include "job/run/solved_operator.hpp"
#include "job/run/state_vectors.hpp"
#include "job/states/given_states.hpp"
#include "job/states/solver_view.hpp"

// The stages of a job: open, plan, solve, verify, describe, settle. Each takes what the one before
// has returned; what a stage does not pass on ends with it.
namespace cisolve::job {

/// A problem that can be planned for.
struct OpenJob {
  InputFiles inputs;
  ProblemRows rows = {};
  GivenStates given = {};  // states to begin with and states to follow, from files
  Counts counts = {};      // as far as is known without counting
  Computed computed = {};  // tables made to rank the plans, of which one may become the operator
  base::Backend backend;   // of one kind on all ranks
  base::Backend host;
  bool is_small = false;  // so that no device was started
};

/// A problem, the ways to solve it, and who does.
struct PlannedJob {
  OpenJob problem;
  Descent plans;
  std::unique_ptr<const SolverView> view;  // null where no states are asked for
  const base::Communicator* workers;       // all ranks, or the first alone
};

/// Input of the verification; the states themselves are in the record.
struct SolvedJob {
  InputFiles inputs;
  base::Backend host;
  Plan plan;
  std::unique_ptr<SolvedOperator> matrix;  // null on a rank that had no part in the work
  ReadingBeside second;
  RoomAtHome room_at_home;
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
std::unique_ptr<SecondReading> verify(const JobContext& job, SolvedJob solved,
                                      StateVectors& vectors);

/// On the first rank: says what the states are. Leaves the vectors on the host, and the molecule in
/// the record.
void describe(const JobContext& job, std::unique_ptr<SecondReading> second, StateVectors& vectors);

/// On the first rank: decides how the job ends and tells the listener, to whom the record is whole
/// now.
void settle(const JobContext& job);

/// On the other ranks: what the first one asks for while it verifies.
void help(const JobContext& job, SolvedJob solved);

}  // namespace cisolve::job
