#pragma once

#include <string>

#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// A warning if the default reference, the file's lowest orbitals filled, is not the determinant of
/// the lowest energy in its own space: another one then describes the state better, and the space
/// is built around the wrong one. Empty otherwise, and for spaces too large to scan.
std::string reference_warning(const Request& request, const DeterminantProblem& molecule);

}  // namespace cisolve::job
