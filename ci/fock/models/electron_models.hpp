#pragma once

#include <span>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/models/lattice.hpp"
#include "ci/fock/models/terms.hpp"
#include "ci/fock/strings/determinant.hpp"

// Electrons on lattices, one orbital per site. Energies in Hartree if a length determines them
// (PPP), else in the unit of the parameters.
namespace cisolve::ci {

/// Integrals of a sum of terms. S_a . S_b becomes exchange integrals, which is exact only if the
/// space has no doubly occupied sites. Throws ErrorKind::configuration for terms that electrons do
/// not have.
Integrals electrons_on(int sites, std::span<const Term> terms, const base::Backend& host);

/// H = -t sum_<ab>,s (a+_s b_s + b+_s a_s) + U sum_a n_a,up n_a,down
///     + V sum_<ab> n_a n_b. V = 0 is the Hubbard model.
struct Hubbard {
  LatticeShape shape;
  double t = 1;
  double u = 0;
  double v = 0;
};
Integrals hubbard(const Hubbard& model, const base::Backend& host);

/// Coordinates of a site of a pi system, bohr.
struct Position {
  double x, y, z;
};

/// Positions with neighbours `spacing` bohr apart: a zigzag of 120 degrees for an open chain, a
/// regular polygon for a periodic one, else a square grid. Throws ErrorKind::configuration for a
/// periodic rectangle.
std::vector<Position> positions(const LatticeShape& shape, double spacing);

enum class Repulsion { ohno, mataga_nishimoto };

/// Pariser-Parr-Pople model: H = -t sum_<ab>,s (a+ b + b+ a) + U sum_a n_up n_down
///     + 1/2 sum_{i != j} g(r_ij) (n_i - 1)(n_j - 1)
/// with Ohno's g = 1 / sqrt(r^2 + 1/U^2) or Mataga-Nishimoto's g = 1 / (r + 1/U), atomic units.
/// Defaults: conjugated carbon, t = 2.4 eV, U = 11.13 eV, 1.40 angstrom.
struct PariserParrPople {
  LatticeShape shape;
  double t = 0.08819836;
  double u = 0.40901991;
  double spacing = 2.64561659;
  Repulsion repulsion = Repulsion::ohno;
  std::vector<Position> sites = {};  // replaces positions(shape, spacing) if not empty
};
Integrals pariser_parr_pople(const PariserParrPople& model, const base::Backend& host);

/// All determinants with one electron per site, `up` of them alpha; ascending. On these, a model of
/// coupled spins is a pure spin model.
std::vector<Determinant> one_electron_a_site(int sites, int up, const base::Backend& host);

}  // namespace cisolve::ci
