#pragma once

#include <string>

#include "base/error.hpp"

namespace cisolve::job {

/// work(); what lower rooms find wrong with what was given is told with the place where it was,
/// such as "job.yaml: space.frozen", and as `fault`.
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

/// What was given in the configuration.
template <class Work>
auto said_of(const std::string& place, Work work) {
  return said_of(place, base::Fault::configuration, work);
}

}  // namespace cisolve::job
