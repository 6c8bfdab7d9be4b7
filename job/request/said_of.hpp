#pragma once

#include <string>

#include "base/error.hpp"

namespace cisolve::job {

/// Returns work(). Rethrows its input and configuration errors as `fault`, prefixed with `place`,
/// such as "job.yaml: space.frozen".
template <class Work>
auto said_of(const std::string& place, base::Fault fault, Work work) {
  try {
    return work();
  } catch (const base::Error& error) {
    const bool is_of_input =
        error.fault() == base::Fault::configuration || error.fault() == base::Fault::bad_input;
    if (!is_of_input) throw;
    base::fail(fault, place, ": ", error.what());
  }
}

/// As above, with Fault::configuration.
template <class Work>
auto said_of(const std::string& place, Work work) {
  return said_of(place, base::Fault::configuration, work);
}

}  // namespace cisolve::job
