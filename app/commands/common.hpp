#pragma once

#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/invocation.hpp"
#include "app/config/configuration.hpp"
#include "app/config/effect.hpp"
#include "app/json/json.hpp"
#include "app/report/job_record.hpp"
#include "base/error.hpp"
#include "job/problem/source.hpp"

// What several commands need.
namespace cisolve::app {

/// The job that a matrix command works on: `input` is a matrix file, a file of integrals, or a
/// configuration (.yaml, .json) whose problem is meant.
Configuration matrix_job(const Invocation& call);

/// The job that `input` describes: a configuration, or a problem file, for which defaults hold that
/// are told on `out`.
Configuration job_of(const Invocation& call, std::ostream& out);

/// With the rates that were measured on this machine, unless it wants those that are built in.
Configuration with_kept_rates(Configuration configuration);

/// Warns of each key that was given and changes nothing.
void warn_of_idle_keys(const std::vector<IdleKey>& keys, const std::string& origin);

/// A job from its matrix to its files; a resumed one from its newest checkpoint.
CommandOutcome run_job(const Configuration& configuration, const Invocation& call,
                       std::ostream& out, bool resumed);

/// A sweep from its first point to its files; goes on where an earlier run stopped.
CommandOutcome run_sweep(const Configuration& configuration, const Invocation& call,
                         std::ostream& out);

/// Whether somebody looks on who is shown how far the work has come.
bool wants_bars(const Invocation& call);

/// Throws what is wrong with the configuration or the problem that a command is given, as far as
/// that can be told at once; of commands that are given none, nothing.
void require_possible_input(const Invocation& call);

/// work(); where it cannot write, what is wrong with the problem is said before that: it would be
/// the next thing to be told.
template <class Work>
auto with_problem_first(const Configuration& configuration, const base::Backend& host, Work work) {
  try {
    return work();
  } catch (const base::Error& error) {
    if (error.fault() == base::Fault::cannot_write)
      job::require_possible_problem(configuration.request, host);
    throw;
  }
}

}  // namespace cisolve::app
