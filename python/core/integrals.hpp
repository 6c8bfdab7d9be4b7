#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "job/request/given_integrals.hpp"

namespace cisolve::python {

/// Integrals that Python has handed over, copied once and shared by all that stands on them.
struct SharedIntegrals {
  std::shared_ptr<const job::GivenIntegrals> values;
};

void bind_integrals(nanobind::module_& module);

}  // namespace cisolve::python
