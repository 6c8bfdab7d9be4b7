#pragma once

namespace cisolve::python {

/// Registers the translation of base::Error into the exceptions of ci_solve.errors.
void register_errors();

}  // namespace cisolve::python
