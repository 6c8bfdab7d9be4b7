#pragma once

#include <cstdint>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

struct RandomIntegralOptions {
  int orbitals = 0;
  bool spin_dependent = false;
  double level_spacing = 1;      // spacing of the diagonal one-electron integrals
  double coupling = 0.1;         // bound on the size of all other integrals
  std::vector<int> irreps = {};  // XOR labels; forbidden integrals are 0
  std::uint64_t seed = 1;
};

/// Random integrals with the permutational symmetry of real orbitals, a function of options and
/// indices alone. h_pp = -level_spacing * (orbitals - p), so that the aufbau determinant dominates
/// for small coupling; all other integrals are uniform in (-coupling, coupling), and this is added
/// to h_pp, too. The core energy is 0.
Integrals random_integrals(const RandomIntegralOptions& options, const base::Backend& host);

}  // namespace cisolve::ci
