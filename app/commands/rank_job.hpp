#pragma once

#include <functional>

#include "app/commands/commands.hpp"
#include "app/config/configuration.hpp"
#include "job/ranking/async_backend.hpp"

// Jobs on several ranks: rank 0 reads and writes as a single process does; the others only compute.
namespace cisolve::app {

/// Collective: returns read() on all ranks, or throws on all. Threads and memory that are left open
/// are divided among the ranks of each node.
Configuration configuration_for_ranks(const Invocation& call,
                                      const std::function<Configuration()>& read);

/// Throws ErrorKind::bad_input with the differences unless all ranks have read the same input with
/// the same version of the program.
void require_same_input(const base::Communicator& ranks, const Configuration& configuration);

/// Runs the job on the ranks other than 0: no output, no record.
CommandOutcome run_worker(const Configuration& configuration, job::AsyncBackend& backend,
                          const base::Communicator& ranks);

}  // namespace cisolve::app
