#include "app/config/schema_rows.hpp"

// Keys of the problem and of the space of its states.
namespace cisolve::app {

using namespace schema_rows;

// clang-format off
std::vector<Key> problem_keys() {
  return {
    key("problem.matrix", path(), [](C& c) -> auto& { return c.request.matrix; },
        "a sparse matrix from a file: .mtx (Matrix Market), .h5, or .npz of SciPy"),
    key("problem.reference_columns", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.request.reference_columns; },
        "number of columns in the Reference region (the leading, denser columns of a CI matrix) of a matrix file; auto: as stated in the file")
      .applies_if(kOfMatrix),
    key("problem.generate.rows", whole(1, base::kLargestDimension), [](C& c) -> auto& { return c.request.generate.rows; },
        "rows of a generated matrix, and as many columns"),
    key("problem.generate.reference_share", real(0, 1), [](C& c) -> auto& { return c.request.generate.reference_share; },
        "fraction of the columns that are in the Reference region (the leading, denser columns of a CI matrix)"),
    key("problem.generate.reference_per_row", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.request.generate.reference_per_row; },
        "non-zeros per row in the Reference region; auto: a fifth of its columns")
      .applies_if(kLikeCi),
    key("problem.generate.density", real(0, 1), [](C& c) -> auto& { return c.request.generate.density; },
        "fraction of non-zeros in the Expansion Space region")
      .applies_if(kLikeCi),
    key("problem.generate.spread", real(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.request.generate.spread; },
        "standard deviation of the row lengths in the Expansion Space region; auto: binomial, as for independent elements")
      .applies_if(kLikeCi),
    key("problem.generate.seed", count(), [](C& c) -> auto& { return c.request.generate.seed; },
        "seed of the random matrix"),
    key("problem.generate.symmetric", of(Kind::truth), [](C& c) -> auto& { return c.request.generate.symmetric; },
        "make it symmetric, so that it has real eigenvalues"),
    key("problem.generate.pattern", choice<sparse::GeneratedPattern>(), [](C& c) -> auto& { return c.request.generate.pattern; },
        "ci: the structure of a CI matrix; banded: full diagonals next to the main one; diagonals: full diagonals anywhere"),
    key("problem.generate.diagonals", whole(1, base::kLargestDimension), [](C& c) -> auto& { return c.request.generate.diagonals; },
        "number of diagonals of pattern banded or diagonals, including the main one")
      .applies_if(kOfDiagonals),
    key("problem.fcidump", path(), [](C& c) -> auto& { return c.request.fcidump; },
        "integrals of a molecule from an FCIDUMP file"),
    key("problem.one_electron_integrals", choice<job::OneElectronIntegrals>(), [](C& c) -> auto& { return c.request.one_electron_integrals; },
        "none: accept an FCIDUMP file without one-electron integrals, which is otherwise refused as possibly truncated")
      .applies_if(kOfFcidump),
    key("problem.trexio", path(), [](C& c) -> auto& { return c.request.trexio; },
        "integrals of a molecule from a TREXIO file with HDF5 back end"),
    key("problem.nucleus_repulsion", choice<job::NucleusRepulsion>(), [](C& c) -> auto& { return c.request.nucleus_repulsion; },
        "none: accept a TREXIO file without nuclear repulsion, which is otherwise refused as possibly damaged")
      .applies_if(kOfTrexio),
    key("problem.operators", path().or_word("none"), [](C& c) -> auto& { return c.request.operators; },
        "one-electron operators over the orbitals of the integrals, such as the dipole, and these orbitals over basis functions, from an HDF5 file as scripts/fcidump-of-molecule.py writes it")
      .applies_if(kIntegrals),
    key("problem.lattice.model", choice<job::LatticeModel>(), [](C& c) -> auto& { return c.request.lattice.model; },
        "hubbard: electrons with hopping and repulsion; t-j: electrons without double occupation and with coupled spins; heisenberg: localised spins 1/2"),
    key("problem.lattice.shape", shape_choice(), [](C& c) -> auto& { return c.request.lattice.shape; },
        "arrangement of the sites; a honeycomb cell has two sites, a kagome cell three; graph: only the sites and terms of problem.lattice.bonds"),
    key("problem.lattice.columns", whole(1, ci::kMostOrbitals), [](C& c) -> auto& { return c.request.lattice.columns; },
        "unit cells per row")
      .applies_if(kOnShape),
    key("problem.lattice.rows", whole(1, ci::kMostOrbitals), [](C& c) -> auto& { return c.request.lattice.rows; },
        "number of rows; 1: a chain")
      .applies_if(kOnShape),
    key("problem.lattice.layers", whole(1, ci::kMostOrbitals), [](C& c) -> auto& { return c.request.lattice.layers; },
        "number of layers")
      .applies_if(kCubic),
    key("problem.lattice.periodic_columns", of(Kind::truth), [](C& c) -> auto& { return c.request.lattice.periodic_columns; },
        "join the ends of each row")
      .applies_if(kOnShape),
    key("problem.lattice.periodic_rows", of(Kind::truth), [](C& c) -> auto& { return c.request.lattice.periodic_rows; },
        "join the ends of each column")
      .applies_if(kOnShape),
    key("problem.lattice.periodic_layers", of(Kind::truth), [](C& c) -> auto& { return c.request.lattice.periodic_layers; },
        "join the first and the last layer")
      .applies_if(kCubic),
    key("problem.lattice.t", any_number(), [](C& c) -> auto& { return c.request.lattice.t; },
        "hopping between neighbours")
      .applies_if(kHopping),
    key("problem.lattice.t2", any_number(), [](C& c) -> auto& { return c.request.lattice.t2; },
        "hopping between next neighbours")
      .applies_if(kHopping),
    key("problem.lattice.u", any_number(), [](C& c) -> auto& { return c.request.lattice.u; },
        "repulsion on a site")
      .applies_if(kHubbard),
    key("problem.lattice.v", any_number(), [](C& c) -> auto& { return c.request.lattice.v; },
        "repulsion between neighbours")
      .applies_if(kHopping),
    key("problem.lattice.j", any_number(), [](C& c) -> auto& { return c.request.lattice.j; },
        "coupling of neighbouring spins, antiferromagnetic if positive; in a t-J model J (S S - n n / 4)")
      .applies_if(kCoupled),
    key("problem.lattice.jz", any_number().or_automatic(), [](C& c) -> auto& { return c.request.lattice.jz; },
        "z component of the coupling of neighbouring spins; auto: problem.lattice.j")
      .applies_if(kHeisenberg),
    key("problem.lattice.j2", any_number(), [](C& c) -> auto& { return c.request.lattice.j2; },
        "coupling of next neighbours")
      .applies_if(kCoupled),
    key("problem.lattice.h", any_number(), [](C& c) -> auto& { return c.request.lattice.h; },
        "field along z: h S^z is added for each site")
      .applies_if(kHeisenberg),
    key("problem.lattice.hx", any_number(), [](C& c) -> auto& { return c.request.lattice.hx; },
        "field along x, which breaks conservation of the spin projection")
      .applies_if(kHeisenberg),
    key("problem.lattice.bonds", of(Kind::lines).or_word("none"), [](C& c) -> auto& { return c.request.lattice.bonds; },
        "more terms, one per line of a file or item of a list: two sites, numbered from 1, a strength and a kind (t, V, U, e, J, Jx, Jy, Jz, Jxy, h or hx), such as '1 2 0.5 J'; a term on one site names it twice"),
    key("problem.electrons", whole(0, 2 * ci::kMostOrbitals).or_automatic(), [](C& c) -> auto& { return c.request.electrons; },
        "number of electrons; auto: as stated in the integral file, or one per lattice site")
      .applies_if(kElectrons, kWithoutSpaceElectrons),
    key("problem.ms2", whole(-ci::kMostOrbitals, ci::kMostOrbitals).or_automatic(), [](C& c) -> auto& { return c.request.ms2; },
        "twice the spin projection; auto: as stated in the file")
      .applies_if(kDescribed, kWithoutSpaceElectrons),
    key("problem.orbital_symmetries", choice_or<ci::IrrepNumbering>("auto"), [](C& c) -> auto& { return c.request.orbital_symmetries; },
        "numbering of ORBSYM: molpro (from 1) or pyscf (from 0); auto: derived from the numbers and the integrals, molpro if both fit")
      .applies_if(kOrbsym),
  };
}

std::vector<Key> space_keys() {
  return {
    key("space.kind", choice<job::SpaceKind>(), [](C& c) -> auto& { return c.request.space.kind; },
        "kind of the determinant space"),
    key("space.level", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.request.space.level; },
        "excitation level of ci and mrci")
      .applies_if(kLevel),
    key("space.electrons", ValueType{Kind::wholes, 0, ci::kMostOrbitals}.or_automatic(), [](C& c) -> auto& { return c.request.space.electrons; },
        "numbers of alpha and beta electrons, frozen ones included; auto: as stated by the problem"),
    key("space.frozen", orbitals(), [](C& c) -> auto& { return c.request.space.frozen; },
        "doubly occupied orbitals: how many of the lowest, or which"),
    key("space.active", orbitals().or_word("all"), [](C& c) -> auto& { return c.request.space.active; },
        "active orbitals: how many after the frozen ones, or which; the rest stays empty"),
    key("space.irrep", irrep().or_word("any"), [](C& c) -> auto& { return c.request.space.irrep; },
        "irreducible representation of all states: a name such as B1u, if the point group and the numbering of ORBSYM are known, or a number: Molpro's if the point group is known, else the value of ORBSYM, plus 1 if ORBSYM counts from 0 as PySCF does; without ORBSYM, a number of the irreps found from vanishing integrals"),
    key("space.spin", real(0, ci::kMostOrbitals).or_word("any"), [](C& c) -> auto& { return c.request.space.spin; },
        "total spin S of all states, such as 0, 0.5 or 1. A truncated determinant space must hold all spin couplings of its open shells or be completed (space.complete). On lattices of spins, and with space.symmetry, problem.ms2 is then 2 S unless problem.ms2 or space.symmetry.spin is given")
      .applies_if(kStatesOrSpins),
    key("space.complete", choice<job::Completion>(), [](C& c) -> auto& { return c.request.space.complete; },
        "spin: add the missing spin couplings of open shells, so that a truncated space is closed under S^2")
      .applies_if(kIncomplete),
    key("space.reference", text().or_automatic(), [](C& c) -> auto& { return c.request.space.reference; },
        "occupation of the reference determinant over all orbitals. auto: the lowest orbitals are filled; in a selected space, that determinant is then replaced by its best single or double excitation (in space.irrep, if given) until no excitation has a lower diagonal element")
      .applies_if(kOneReference),
    key("space.references", of(Kind::texts).or_automatic(), [](C& c) -> auto& { return c.request.space.references; },
        "references of mrci, or the determinants that start a selected space instead of space.reference")
      .applies_if(kReferences),
    key("space.ras1", orbitals(), [](C& c) -> auto& { return c.request.space.ras1; },
        "active orbitals with few holes: how many of the lowest, or their numbers among all orbitals")
      .applies_if(kRas),
    key("space.ras2", orbitals().or_word("all"), [](C& c) -> auto& { return c.request.space.ras2; },
        "active orbitals with any occupation: how many after ras1, or their numbers among all orbitals; the rest is ras3")
      .applies_if(kRas),
    key("space.holes", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.request.space.holes; },
        "largest number of holes in ras1, both spins together")
      .applies_if(kRas, kRas1),
    key("space.particles", whole(0, 2 * ci::kMostOrbitals), [](C& c) -> auto& { return c.request.space.particles; },
        "largest number of electrons in ras3, both spins together")
      .applies_if(kRas, kRas3),
    key("space.determinants", path().or_word("none"), [](C& c) -> auto& { return c.request.space.determinants; },
        "file with the determinants of kind list: text, HDF5 or TREXIO, over all orbitals"),
    key("space.alpha", path().or_word("none"), [](C& c) -> auto& { return c.request.space.alpha; },
        "file with the alpha strings of kind product: bits, one string per line, orbital 1 at the right"),
    key("space.beta", path().or_word("none"), [](C& c) -> auto& { return c.request.space.beta; },
        "file with the beta strings of kind product, in the same format; every alpha string is combined with every beta string"),
    key("space.partition", partition_rule(), [](C& c) -> auto& { return c.request.space.partition; },
        "determinants that come first in the stored matrix, as its Reference region: the references of the space, none, the n with the lowest diagonal elements, or those at most n excitations from the reference; auto: the references for mrci, else none"),
    key("space.symmetry.momentum", ValueType{Kind::wholes, -ci::kMostOrbitals, ci::kMostOrbitals}.or_word("any"), [](C& c) -> auto& { return c.request.space.symmetry.momentum; },
        "momentum of all states of a lattice, one number per periodic direction, in units of 2 pi over its cells; a momentum k other than 0 and half of the cells is combined with -k, so that each energy occurs twice, unless the parity under a mirror or inversion that reverses k is given"),
    key("space.symmetry.inversion", parity(), [](C& c) -> auto& { return c.request.space.symmetry.inversion; },
        "the parity under inversion of all directions, about site 1 if the lattice is periodic"),
    key("space.symmetry.columns", parity(), [](C& c) -> auto& { return c.request.space.symmetry.columns; },
        "the parity under the mirror that reverses each row"),
    key("space.symmetry.rows", parity(), [](C& c) -> auto& { return c.request.space.symmetry.rows; },
        "the parity under the mirror that reverses each column"),
    key("space.symmetry.layers", parity(), [](C& c) -> auto& { return c.request.space.symmetry.layers; },
        "the parity under the mirror that reverses the order of layers"),
    key("space.symmetry.exchange", parity(), [](C& c) -> auto& { return c.request.space.symmetry.exchange; },
        "the parity under the mirror at a diagonal, which exchanges rows and columns"),
    key("space.symmetry.rotation", parity(), [](C& c) -> auto& { return c.request.space.symmetry.rotation; },
        "the parity under the rotation by 90 degrees, or by 60 degrees on triangular, honeycomb and kagome lattices"),
    key("space.symmetry.spin", parity(), [](C& c) -> auto& { return c.request.space.symmetry.spin; },
        "parity under flipping all spins, with as many up as down; for N spins or electrons of total spin S it is even if N/2 - S is even"),
  };
}
// clang-format on

}  // namespace cisolve::app
