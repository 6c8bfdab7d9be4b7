#pragma once

#include <optional>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/strings/determinant.hpp"

namespace cisolve::job {

/// A determinant whose diagonal element is not above that of any single or double excitation of it:
/// found by going down from `start`, always to the lowest. With `irrep`, an XOR label of
/// integrals.irreps(), among determinants of that irrep alone. Throws ErrorKind::configuration if
/// none of these is within a double excitation of the start.
ci::Determinant lowest_determinant(const ci::Integrals& integrals, std::optional<int> irrep,
                                   const ci::Determinant& start);

}  // namespace cisolve::job
