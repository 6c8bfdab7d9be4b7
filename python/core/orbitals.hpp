#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Binds orbitals over basis functions: those of a request, and what a solution has over them.
void bind_orbitals(nanobind::module_& module);

}  // namespace cisolve::python
