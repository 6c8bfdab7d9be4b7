#pragma once

#include "ci/fock/strings/determinant.hpp"

namespace cisolve::ci {

/// <bra|H|ket> of two determinants with equal electron numbers, core energy included, by the
/// Slater-Condon rules. Shares neither signs nor look-up with the builders.
double element(const Integrals& integrals, const Determinant& bra, const Determinant& ket);

}  // namespace cisolve::ci
