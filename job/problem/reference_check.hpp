#pragma once

#include <string>

#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// A warning where the reference that nobody chose, the lowest orbitals of the file filled, is not
/// the determinant of the lowest energy in its own space: then another one describes the state
/// better, and the space is made around the wrong one. Empty else, and for spaces too large to look
/// through.
std::string reference_warning(const Request& request, const DeterminantProblem& molecule);

}  // namespace cisolve::job
