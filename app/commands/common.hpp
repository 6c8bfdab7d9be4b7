#pragma once

#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/invocation.hpp"
#include "app/config/configuration.hpp"
#include "app/config/key_conditions.hpp"
#include "app/json/json.hpp"
#include "app/report/job_record.hpp"
#include "base/error.hpp"
#include "job/problem/source.hpp"

// Helpers shared by commands.
namespace cisolve::app {

/// The job of a matrix command: `input` is a matrix file, a file of integrals, or a configuration
/// (.yaml, .json) whose problem is used.
Configuration matrix_job(const Invocation& call);

/// The job that `input` describes: a configuration, or a problem file with defaults, which are
/// printed to `out`.
Configuration job_of(const Invocation& call, std::ostream& out);

/// Adds the rates measured on this machine, unless the configuration chooses the built-in ones.
Configuration with_machine_rates(Configuration configuration);

/// Warns of each key that was given and changes nothing.
void warn_of_unused_keys(const std::vector<UnusedKey>& keys, const std::string& origin);

/// Runs a job from its matrix to its files; a resumed one from its newest checkpoint.
CommandOutcome run_job(const Configuration& configuration, const Invocation& call,
                       std::ostream& out, bool resumed);

/// Runs a sweep from its first point to its files; resumes an interrupted one.
CommandOutcome run_sweep(const Configuration& configuration, const Invocation& call,
                         std::ostream& out);

/// Whether progress bars are shown.
bool wants_bars(const Invocation& call);

/// Throws the errors of the configuration or problem of a command that can be found quickly; does
/// nothing for commands without one.
void require_possible_input(const Invocation& call);

/// Runs work(). If it throws ErrorKind::cannot_write, errors of the problem itself are reported
/// instead: they would be the next ones.
template <class Work>
auto with_problem_errors_first(const Configuration& configuration, const base::Backend& host,
                               Work work) {
  try {
    return work();
  } catch (const base::Error& error) {
    if (error.kind() == base::ErrorKind::cannot_write)
      job::require_possible_problem(configuration.request, host);
    throw;
  }
}

}  // namespace cisolve::app
