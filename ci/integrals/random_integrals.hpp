#pragma once

#include <cstdint>
#include <vector>

#include "ci/integrals/integrals.hpp"

namespace cisolve::ci {

struct RandomIntegralOptions {
  int orbitals = 0;
  bool spin_dependent = false;
  double level_spacing = 1;      // between the diagonal one-electron integrals
  double coupling = 0.1;         // the largest size of every other integral
  std::vector<int> irreps = {};  // XOR labels; integrals that they forbid are 0
  std::uint64_t seed = 1;
};

/// Integrals with every symmetry that real orbitals have, each a function of its indices, the
/// options and nothing else. h_pp = -level_spacing * (orbitals - p), so that filling the lowest
/// orbitals first gives a state that dominates where the coupling is small; all other integrals
/// are uniform in (-coupling, coupling). The core energy is 0.
Integrals random_integrals(const RandomIntegralOptions& options, const base::Backend& host);

}  // namespace cisolve::ci
