#pragma once

#include "job/plan/starting_backend.hpp"
#include "job/run/listener.hpp"

namespace cisolve::job {

/// Solves what is asked for: reads the problem, builds its matrix, finds states, verifies them
/// through a second reading and describes them. Throws base::Error for what cannot be done; states
/// that did not converge, or failed their verification, are an outcome.
Outcome run(const Request& request, Listener& listener);

/// The same, silently.
Outcome run(const Request& request);

/// The same on a backend that is starting already.
Outcome run(const Request& request, StartingBackend& starting, Listener& listener);

}  // namespace cisolve::job
