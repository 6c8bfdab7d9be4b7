#pragma once

#include <vector>

#include "ci/factorised/factorised.hpp"
#include "ci/spaces/spaces.hpp"

// What string matrices of a full CI have to do, without a string of it.
namespace cisolve::ci {

/// Strings of so many electrons by their irrep, for as many XOR labels as the orbitals make.
std::vector<double> strings_by_irrep(const Sector& sector, int electrons);

/// By the numbers of strings, of pairs of orbitals and of moves of one electron alone. Integrals
/// vanish where irreps say so, and nowhere else. Bytes are those of tiles, as a device has them.
FactorWork factors_on_paper(const Sector& sector);

}  // namespace cisolve::ci
