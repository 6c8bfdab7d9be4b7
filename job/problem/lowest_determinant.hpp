#pragma once

#include <optional>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/strings/determinant.hpp"

namespace cisolve::job {

/// A determinant whose diagonal element is not above that of any of its single or double
/// excitations, found by steepest descent from `start`. With `irrep`, an XOR label of
/// integrals.irreps(), only determinants of that irrep are considered. Throws
/// ErrorKind::configuration if none of these is within a double excitation of the start.
ci::Determinant lowest_determinant(const ci::Integrals& integrals, std::optional<int> irrep,
                                   const ci::Determinant& start);

}  // namespace cisolve::job
