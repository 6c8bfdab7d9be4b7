#pragma once

#include <string_view>
#include <vector>

#include "base/backend.hpp"
#include "base/small_matrix.hpp"
#include "ci/fock/basis/gaussian_basis.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

/// The orbitals of a problem over basis functions; a column for each orbital.
struct MolecularOrbitals {
  GaussianBasis basis = {};
  base::SmallMatrix overlap{0, 0};  // of the basis functions
  base::SmallMatrix alpha{0, 0};    // of all orbitals of the problem, functions by orbitals
  base::SmallMatrix beta{0, 0};  // likewise, if the integrals are spin-dependent; else no columns
  base::SmallMatrix inactive{0, 0};       // doubly occupied and part of the core energy
  base::SmallMatrix inactive_beta{0, 0};  // likewise

  bool is_spin_dependent() const { return beta.columns() > 0; }
  const base::SmallMatrix& of(Spin spin) const {
    return spin == Spin::alpha || !is_spin_dependent() ? alpha : beta;
  }
  const base::SmallMatrix& inactive_of(Spin spin) const {
    return spin == Spin::alpha || !is_spin_dependent() ? inactive : inactive_beta;
  }
};

/// Takes `given` as orbitals of integrals over `orbitals` orbitals, with its overlap if it has one,
/// else the one of its basis. Throws ErrorKind::bad_input, as "source: what is wrong; what was
/// expected", unless the basis is sound, its overlap is the given one to 1e-6, shapes fit, and
/// orbitals of one spin are orthonormal to 1e-6, inactive ones included.
MolecularOrbitals checked(MolecularOrbitals given, int orbitals, bool spin_dependent,
                          std::string_view source, const base::Backend& host);

}  // namespace cisolve::ci
