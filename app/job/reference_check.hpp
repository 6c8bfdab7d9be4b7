#pragma once

#include <string>

#include "app/job/molecule.hpp"

namespace cisolve::app {

/// A warning where the reference that nobody chose, the lowest orbitals of the file filled, is not
/// the determinant of the lowest energy in its own space: then another one describes the state
/// better, and the space is made around the wrong one. Empty else, and for spaces too large to look
/// through.
std::string reference_warning(const Configuration& configuration, const Molecule& molecule);

}  // namespace cisolve::app
