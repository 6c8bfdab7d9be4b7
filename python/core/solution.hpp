#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "job/run/outcome.hpp"
#include "python/core/observer.hpp"

namespace cisolve::python {

/// A finished job and its results.
struct Solution {
  app::Configuration configuration;
  job::Outcome found;
  std::string record;                   // JSON text
  std::string started;                  // UTC
  std::shared_ptr<StoppedState> state;  // state of a stopped job
};

/// All warnings of a job.
std::vector<std::string> warnings_of(const job::Outcome& found);

void bind_solution(nanobind::module_& module);

}  // namespace cisolve::python
