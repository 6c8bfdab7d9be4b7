#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

void bind_hamiltonian(nanobind::module_& module);
/// The lowest states of an operator that is a function of Python's.
void bind_function_operator(nanobind::module_& module);

}  // namespace cisolve::python
