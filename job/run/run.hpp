#pragma once

#include "job/ranking/async_backend.hpp"
#include "job/run/listener.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::job {

/// Solves what is asked for: reads the problem, builds its matrix, finds states, verifies them
/// through a second reading and describes them. Throws base::Error for what cannot be done; states
/// that did not converge, or failed their verification, are an outcome.
Outcome run(const Request& request, Listener& listener);

/// The same, silently.
Outcome run(const Request& request);

/// The same on a backend that is starting already. Many ranks run a job together, each with the
/// same request and a listener of its own; the first verifies and describes what they find, and it
/// alone has the outcome's states, of which the others know how they ended.
Outcome run(const Request& request, AsyncBackend& starting, Listener& listener,
            const base::Communicator& ranks = solver::kOneProcess);

}  // namespace cisolve::job
