#pragma once

#include "job/request/request.hpp"
#include "job/run/listener.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::job {

class AsyncBackend;

/// Runs a job: reads the problem, builds its matrix, finds states, verifies them against a second
/// reading of the problem and describes them. Throws base::Error for what cannot be done; states
/// that did not converge, or failed their verification, are an outcome (Outcome::end).
Outcome run(const Request& request, Listener& listener);

/// Runs a request without a listener.
Outcome run(const Request& request);

/// As above, on a backend that is already starting. Collective: all ranks pass the same request,
/// each with a listener of its own. Rank 0 verifies and describes the states, and its outcome alone
/// has them; the outcomes of the others say how the job ended.
Outcome run(const Request& request, AsyncBackend& starting, Listener& listener,
            const base::Communicator& ranks = solver::kOneProcess);

}  // namespace cisolve::job
