#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "job/request/given_integrals.hpp"

namespace cisolve::python {

/// Integrals from Python, copied once and shared.
struct SharedIntegrals {
  std::shared_ptr<const job::GivenIntegrals> values;
};

void bind_integrals(nanobind::module_& module);

}  // namespace cisolve::python
