#pragma once

#include <filesystem>
#include <string_view>

#include "ci/fock/integrals/one_electron_operator.hpp"

namespace cisolve::io {

inline constexpr std::string_view kOperatorsFormat = "ci-solve operators";

/// Reads one-electron operators over the orbitals of `integrals` from an HDF5 file:
///
///   /                  attributes format = "ci-solve operators", schema = 1,
///                      operators = their names, separated by spaces
///   /one_electron      float64, n by n: h_pq of the integrals; if these are spin-dependent, of
///                      the alpha orbitals, and /one_electron_beta of the beta orbitals
///   /NAME              attributes components = their names, separated by spaces; unit;
///                      symmetry = "symmetric" or "antisymmetric";
///                      origin_note and core_charge (float64) if known
///   /NAME/COMPONENT    float64, n by n: o_pq; if spin-dependent, of the alpha orbitals, and
///                      /NAME/COMPONENT_beta of the beta orbitals
///   /NAME/constants    float64, a value for each component; of symmetric operators
///   /NAME/origin       float64, x y z in bohr, if the operator has one
///
/// The file is not trusted: HDF5 reads it in a process of its own, and h_pq must be those of the
/// integrals to 1e-6, so that the operators are over the same orbitals. Throws
/// ErrorKind::bad_input with file, object and remedy.
ci::OneElectronOperators read_operators(const std::filesystem::path& path,
                                        const ci::Integrals& integrals);

}  // namespace cisolve::io
