#pragma once

#include <vector>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/factorised/factorised.hpp"

// Cost of the factorised product of a full CI space, estimated without building a string.
namespace cisolve::ci {

/// The number of strings of `electrons` electrons by irrep, for each XOR label that the orbitals
/// generate.
std::vector<double> strings_by_irrep(const Sector& sector, int electrons);

/// Estimate from the numbers of strings, orbital pairs and single excitations, with integrals that
/// vanish by irrep only. Bytes are those on a device, with tiles of both spins even if alike.
FactorisedCost estimated_factorised_cost(const Sector& sector);

}  // namespace cisolve::ci
