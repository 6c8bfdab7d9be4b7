#include "app/report/exit_code.hpp"

namespace cisolve::app {

ExitCode exit_code(base::Fault fault) {
  switch (fault) {
    case base::Fault::usage: return ExitCode::usage;
    case base::Fault::bad_input: return ExitCode::bad_input;
    case base::Fault::no_input: return ExitCode::no_input;
    case base::Fault::backend: return ExitCode::backend;
    case base::Fault::internal: return ExitCode::internal;
    case base::Fault::resources: return ExitCode::resources;
    case base::Fault::cannot_write: return ExitCode::cannot_write;
    case base::Fault::configuration: return ExitCode::configuration;
  }
  return ExitCode::internal;
}

}  // namespace cisolve::app
