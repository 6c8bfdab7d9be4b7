#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Binds configurations and run().
void bind_run(nanobind::module_& module);

}  // namespace cisolve::python
