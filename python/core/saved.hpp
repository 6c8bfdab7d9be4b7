#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Binds the reader of results.h5.
void bind_saved(nanobind::module_& module);

}  // namespace cisolve::python
