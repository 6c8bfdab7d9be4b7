#pragma once

#include <vector>

#include "ci/integrals/integrals.hpp"
#include "ci/strings/determinant.hpp"

// Model Hamiltonians on lattices, without any input file: one orbital a site. Energies in Hartree
// where a length decides them, else in the unit of the parameters.
namespace cisolve::ci {

/// Sites on a rectangle of `columns` by `rows`: rows = 1 is a chain, rows = 2 a ladder. Site
/// (x, y) is orbital x + columns * y. A periodic direction has at least three sites: with two, its
/// bond would be there twice.
struct LatticeShape {
  int columns = 0;
  int rows = 1;
  bool periodic_columns = false;
  bool periodic_rows = false;
  int sites() const { return columns * rows; }
};

struct Bond {
  int first;
  int second;
};

/// Each pair of nearest neighbours once. Throws Fault::configuration for a shape that is none.
std::vector<Bond> bonds(const LatticeShape& shape);

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

/// H = J sum over bonds of S_a . S_b for spins 1/2, J > 0 antiferromagnetic, in its fermionic form:
/// with one electron a site, S_a . S_b = -1/4 - 1/2 of the exchange of a and b, so every bond is an
/// exchange integral (ab|ba) = -J/2 and adds -J/4 to the core energy. This Hamiltonian couples no
/// determinant with one electron a site to any other. Those with doubly occupied sites are lifted
/// by an on-site repulsion above the whole spectrum of the spins: the lowest states of full CI with
/// as many electrons as sites are those of the spins, and a list space of one_electron_a_site() has
/// no others.
struct Heisenberg {
  LatticeShape shape;
  double j = 1;
};
Integrals heisenberg(const Heisenberg& model, const base::Backend& host);

/// The spin form's basis: all determinants with one electron a site, `up` of them alpha; ascending.
std::vector<Determinant> one_electron_a_site(int sites, int up, const base::Backend& host);

}  // namespace cisolve::ci
