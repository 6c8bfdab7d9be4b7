#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::job {

/// Requests of rank 0, which alone has the states, to the other ranks.
enum class WorkerCommand {
  end,
  product,                    // multiplies by the operator of the solution
  diagonal,                   // finds that operator's diagonal
  project_symmetry,           // projects with that operator's projector
  release_operators,          // frees that operator
  read_again,                 // reads the problem again, as rank 0 does
  distribute_second_reading,  // distributes the rows of that reading
  rows,                       // multiplies all of these rows
  some_rows,                  // multiplies some of these rows
};

struct WorkerRequest {
  WorkerCommand command = WorkerCommand::end;
  base::Index count = 0;    // number of vectors or rows
  double max_fraction = 0;  // argument of project_symmetry
  bool on_host = false;     // whole vectors are on rank 0's host
};

/// Broadcasts and returns the request of rank 0. Collective.
WorkerRequest broadcast_request(const base::Communicator& ranks, const WorkerRequest& by_first);

/// Ranks other than 0: executes requests of rank 0 until it receives `end`. A collective error is
/// rethrown on rank 0 alone, which may send further requests.
void run_worker_loop(const base::Communicator& ranks,
                     const std::function<void(const WorkerRequest&)>& execute);

}  // namespace cisolve::job
