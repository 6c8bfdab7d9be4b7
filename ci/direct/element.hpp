#pragma once

#include "ci/strings/determinant.hpp"

namespace cisolve::ci {

/// <bra|H|ket> of one pair of determinants with the same electrons, core energy included; by the
/// Slater-Condon rules, from the integrals alone. Shares neither signs nor look-ups with the
/// builders.
double element(const Integrals& integrals, const Determinant& bra, const Determinant& ket);

}  // namespace cisolve::ci
