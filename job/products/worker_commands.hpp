#pragma once

#include <functional>

#include "base/ranks/communicator.hpp"

namespace cisolve::job {

/// What the first rank, which alone has the states, asks the others for.
enum class WorkerCommand {
  end,
  product,  // this and the next two: of what the states were found with
  diagonal,
  purity,
  release_operators,  // of that
  read_again,         // the problem, while the first does so too
  share_again,        // the rows of what was read again
  rows,               // all of these, or some
  some_rows,
};

struct WorkerRequest {
  WorkerCommand command = WorkerCommand::end;
  base::Index count = 0;  // of vectors, or of rows
  double share = 0;
  bool on_host =
      false;  // the whole vectors lie on the first rank's host, wherever products are made
};

/// Everywhere what the first rank asks for.
WorkerRequest broadcast_request(const base::Communicator& ranks, const WorkerRequest& by_first);

/// On every rank but the first: helps with all that it asks for, until it wishes the end. What the
/// ranks agree cannot be done is an error of the first, which may ask again.
void run_worker_loop(const base::Communicator& ranks,
                     const std::function<void(const WorkerRequest&)>& execute);

}  // namespace cisolve::job
