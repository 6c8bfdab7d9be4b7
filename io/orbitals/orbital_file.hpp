#pragma once

#include <filesystem>
#include <optional>

#include "base/backend.hpp"
#include "ci/fock/basis/molecular_orbitals.hpp"

namespace cisolve::io {

inline constexpr base::Index kBasisVersion = 1;

/// The orbitals of integrals over `orbitals` orbitals, from the group /basis of a file of operators
/// (operator_file.hpp); none if the file has no such group.
///
///   /basis                    attributes version = 1, functions = "spherical" or "cartesian"
///   /basis/atomic_numbers     int64, of each atom; 0: a ghost atom
///   /basis/charges            float64, of each nucleus, less what a pseudopotential replaces
///   /basis/coordinates        float64, atoms by 3, in bohr
///   /basis/shell_atoms        int64, from 1, of each shell
///   /basis/shell_momenta      int64, 0 for s, 1 for p and so on
///   /basis/shell_primitives   int64, the number of Gaussians of each shell
///   /basis/exponents          float64, of all shells one after the other
///   /basis/coefficients       float64, likewise, of Gaussians normalised to 1
///   /basis/overlap            float64, functions by functions
///   /basis/orbitals           float64, functions by orbitals of the integrals
///   /basis/inactive           float64, functions by inactive orbitals, if there are any
///   /basis/orbitals_beta, /basis/inactive_beta   likewise, if the integrals depend on spin
///
/// Functions are those of ci::GaussianBasis, in its order. The file is not trusted: HDF5 reads it
/// in a process of its own, and ci::checked() has to accept what it holds. Throws
/// ErrorKind::bad_input with file, data set and remedy.
std::optional<ci::MolecularOrbitals> read_orbitals(const std::filesystem::path& path, int orbitals,
                                                   bool spin_dependent, const base::Backend& host);

}  // namespace cisolve::io
