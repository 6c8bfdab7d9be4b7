#pragma once

#include <functional>

#include "app/commands/commands.hpp"
#include "app/config/configuration.hpp"
#include "job/ranking/starting_backend.hpp"

// What a job takes that many ranks run together: the first of them reads and writes, as one process
// does, and the others take part.
namespace cisolve::app {

/// What `read` gives, on all ranks or on none, with the share of the threads and the memory that a
/// rank has of its node, where these are left open.
Configuration configuration_for_ranks(const Invocation& call,
                                      const std::function<Configuration()>& read);

/// Throws Fault::bad_input with the differences unless all ranks have read the same, with the same
/// version of the program.
void require_same_input(const base::Communicator& ranks, const Configuration& configuration);

/// The job as the other ranks see it: silent, without a record.
CommandOutcome attend(const Configuration& configuration, job::StartingBackend& backend,
                      const base::Communicator& ranks);

}  // namespace cisolve::app
