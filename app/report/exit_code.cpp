#include "app/report/exit_code.hpp"

namespace cisolve::app {

ExitCode exit_code(base::ErrorKind fault) {
  switch (fault) {
    case base::ErrorKind::usage: return ExitCode::usage;
    case base::ErrorKind::bad_input: return ExitCode::bad_input;
    case base::ErrorKind::no_input: return ExitCode::no_input;
    case base::ErrorKind::backend: return ExitCode::backend;
    case base::ErrorKind::internal: return ExitCode::internal;
    case base::ErrorKind::resources: return ExitCode::resources;
    case base::ErrorKind::cannot_write: return ExitCode::cannot_write;
    case base::ErrorKind::configuration: return ExitCode::configuration;
  }
  return ExitCode::internal;
}

ExitCode exit_code(job::End end) {
  switch (end) {
    case job::End::done: return ExitCode::success;
    case job::End::not_converged: return ExitCode::not_converged;
    case job::End::verification_failed: return ExitCode::verification_failed;
    case job::End::interrupted: return ExitCode::interrupted;
  }
  return ExitCode::internal;
}

}  // namespace cisolve::app
