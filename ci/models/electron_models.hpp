#pragma once

#include <span>
#include <vector>

#include "ci/integrals/integrals.hpp"
#include "ci/models/lattice.hpp"
#include "ci/models/terms.hpp"
#include "ci/strings/determinant.hpp"

// Electrons on lattices, without any input file: one orbital a site. Energies in Hartree where a
// length decides them, else in the unit of the parameters.
namespace cisolve::ci {

/// The integrals of such terms. Those of coupled spins are exchange integrals: S_a . S_b where
/// sites have no two electrons, which is a space's to see to. Throws Fault::configuration for a
/// term that electrons do not have.
Integrals electrons_on(int sites, std::span<const Term> terms, const base::Backend& host);

/// H = -t sum over bonds of (a+ b + b+ a), both spins, + U sum over sites of n_up n_down
///     + V sum over bonds of n_a n_b. V = 0 is the Hubbard model.
struct Hubbard {
  LatticeShape shape;
  double t = 1;
  double u = 0;
  double v = 0;
};
Integrals hubbard(const Hubbard& model, const base::Backend& host);

/// Where the sites of a pi system are, in bohr.
struct Position {
  double x, y, z;
};

/// An open chain as a zigzag of 120 degrees, a periodic one as a regular polygon, all else as a
/// square grid, with neighbours `spacing` bohr apart. A periodic rectangle has no such positions
/// and is refused with Fault::configuration.
std::vector<Position> positions(const LatticeShape& shape, double spacing);

enum class Repulsion { ohno, mataga_nishimoto };

/// Pariser, Parr and Pople: H = -t sum over bonds of (a+ b + b+ a) + U sum of n_up n_down
///     + 1/2 sum over i != j of g(r_ij) (n_i - 1)(n_j - 1)
/// with Ohno's g = 1 / sqrt(r^2 + 1/U^2) or Mataga and Nishimoto's g = 1 / (r + 1/U). The defaults
/// are the usual ones of conjugated carbon: t = 2.4 eV, U = 11.13 eV, 1.40 angstrom.
struct PariserParrPople {
  LatticeShape shape;
  double t = 0.08819836;
  double u = 0.40901991;
  double spacing = 2.64561659;
  Repulsion repulsion = Repulsion::ohno;
  std::vector<Position> sites = {};  // instead of positions(shape, spacing)
};
Integrals pariser_parr_pople(const PariserParrPople& model, const base::Backend& host);

/// All determinants with one electron a site, `up` of them alpha; ascending. Coupled spins among
/// them are spins alone.
std::vector<Determinant> one_electron_a_site(int sites, int up, const base::Backend& host);

}  // namespace cisolve::ci
