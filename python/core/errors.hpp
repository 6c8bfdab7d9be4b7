#pragma once

namespace cisolve::python {

/// From now on errors of the program are those of ci_solve.errors, by their kind.
void register_errors();

}  // namespace cisolve::python
