#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ci/fock/basis/gaussian_basis.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::io {

/// An orbital of a Molden file.
struct MoldenOrbital {
  std::string label;  // its symmetry, or another name without blanks
  double energy = 0;  // Hartree; 0 if it has none
  ci::Spin spin = ci::Spin::alpha;
  double occupation = 0;
  std::span<const double> coefficients = {};  // of the functions of the basis, in its order
};

/// Throws ErrorKind::configuration unless Molden files know all functions: s to g, so that a job
/// can refuse before its solution. `key` names what asked for the file.
void require_molden_basis(const ci::GaussianBasis& basis, std::string_view key);

/// Appends a Molden file: atoms in bohr, the basis with coefficients of normalised primitives,
/// [5D] [7F] [9G] or [6D] [10F] [15G], and the orbitals, whose coefficients are over functions
/// normalised to 1 in Molden's order. `title` is one line. The caller commits the file.
void write_molden(OutputFile& file, const ci::GaussianBasis& basis, std::string_view title,
                  std::span<const MoldenOrbital> orbitals);

}  // namespace cisolve::io
