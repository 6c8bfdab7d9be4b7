#pragma once

#include <nanobind/nanobind.h>

namespace cisolve::python {

/// Binds densities of three particles and contractions of four, which NEVPT2 needs.
void bind_three_particles(nanobind::module_& module);

}  // namespace cisolve::python
