#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

void bind_hamiltonian(nanobind::module_& module);
/// Binds eigsh(), the lowest states of an operator given as a Python function.
void bind_function_operator(nanobind::module_& module);

}  // namespace cisolve::python
