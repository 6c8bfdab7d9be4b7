#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// The numbers of a file of results, results.h5.
void bind_saved(nanobind::module_& module);

}  // namespace cisolve::python
