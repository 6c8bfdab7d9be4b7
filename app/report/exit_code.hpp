#pragma once

#include "base/error.hpp"
#include "job/run/outcome.hpp"

namespace cisolve::app {

/// Exit codes, defined here alone.
enum class ExitCode {
  success = 0,
  usage = 2,
  not_converged = 3,
  verification_failed = 4,
  bad_input = 65,
  no_input = 66,
  backend = 69,
  internal = 70,
  resources = 71,
  cannot_write = 73,
  interrupted = 75,
  configuration = 78,
};

ExitCode exit_code(base::ErrorKind fault);
ExitCode exit_code(job::End end);

}  // namespace cisolve::app
