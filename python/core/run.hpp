#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Requests, and the jobs that they ask for.
void bind_run(nanobind::module_& module);

}  // namespace cisolve::python
