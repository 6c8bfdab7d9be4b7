#pragma once

#include <string>

#include "base/error.hpp"

namespace cisolve::job {

/// Returns work(). Rethrows its input and configuration errors as `fault`, prefixed with `place`,
/// such as "job.yaml: space.frozen".
template <class Work>
auto with_context(const std::string& place, base::ErrorKind fault, Work work) {
  try {
    return work();
  } catch (const base::Error& error) {
    const bool is_of_input = error.kind() == base::ErrorKind::configuration ||
                             error.kind() == base::ErrorKind::bad_input;
    if (!is_of_input) throw;
    base::fail(fault, place, ": ", error.what());
  }
}

/// Returns work(). Rethrows its input and configuration errors as ErrorKind::configuration.
template <class Work>
auto with_context(const std::string& place, Work work) {
  return with_context(place, base::ErrorKind::configuration, work);
}

}  // namespace cisolve::job
