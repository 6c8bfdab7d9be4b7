#pragma once

#include <string>
#include <vector>

#include "app/cli/invocation.hpp"
#include "app/commands/commands.hpp"
#include "app/config/configuration.hpp"
#include "app/report/json.hpp"

// What several commands need.
namespace cisolve::app {

/// The job that a matrix command works on: `input` is a matrix file, or a configuration (.yaml)
/// whose problem is meant.
Configuration matrix_job(const Invocation& call);

/// A job from its matrix to its files; a resumed one from its newest checkpoint.
Outcome run_job(const Configuration& configuration, const Invocation& call, std::ostream& out,
                bool resumed);

/// A sweep from its first point to its files; goes on where an earlier run stopped.
Outcome run_sweep(const Configuration& configuration, const Invocation& call, std::ostream& out);

/// Whether somebody looks on who is shown how far the work has come.
bool wants_bars(const Invocation& call);

/// "program" and "version", with which every record begins, and then the members.
Json record(std::vector<Json::Member> members);

/// Throws Fault::cannot_write now if a file could not be written there later.
void require_writable(const std::string& path, bool force);

}  // namespace cisolve::app
