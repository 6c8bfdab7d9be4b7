#!/usr/bin/env python3
"""Writes the integrals of a molecule over its Hartree-Fock orbitals as an FCIDUMP file.

  scripts/fcidump-of-molecule.py "N 0 0 -1; N 0 0 1" --basis sto-3g --symmetry D2h -o n2.fcidump

Beside it, n2.operators.h5 holds the dipole and velocity operators over the same orbitals, with --also quadrupole and
angular momentum, and the orbitals over their basis functions, for 'problem.operators'; the origin is the centre of nuclear
charge. Needs PySCF: python3 -m venv .venv && .venv/bin/pip install pyscf
and then .venv/bin/python in front of the command.
"""

import argparse
import os

try:
    import h5py
    import numpy as np
    from pyscf import ao2mo, gto, mcscf, scf
    from pyscf.tools import fcidump
except ModuleNotFoundError as missing:
    raise SystemExit(f"{missing}; expected PySCF: python3 -m venv .venv && .venv/bin/pip install pyscf, "
                     "and .venv/bin/python in front of this command") from None


def options_given():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("atoms", help="'element x y z; ...' in Angstrom, or an .xyz file")
    parser.add_argument("--basis", default="sto-3g")
    parser.add_argument("--symmetry", default=False,
                        help="the abelian point group, or auto; none where it is not given")
    parser.add_argument("--charge", type=int, default=0)
    parser.add_argument("--spin", type=int, default=0, help="unpaired electrons")
    parser.add_argument("--unit", choices=("angstrom", "bohr"), default="angstrom")
    parser.add_argument("--active", type=int, nargs=2, metavar=("ELECTRONS", "ORBITALS"),
                        help="an active space around the highest occupied orbital; orbitals below are "
                             "doubly occupied and part of the integrals; all orbitals where it is not given")
    parser.add_argument("--uhf", action="store_true", help="orbitals of an unrestricted field, for alpha and beta electrons")
    parser.add_argument("--also", nargs="+", choices=("quadrupole", "angular_momentum"), default=[],
                        help="further operators: second moments of the charge, and r x d/dr")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--operators", metavar="FILE",
                        help="dipole and velocity over the same orbitals, or none; the output's name with "
                             ".operators.h5 in place of its ending where it is not given")
    return parser.parse_args()


def field_of(options):
    try:
        mol = gto.M(atom=options.atoms, basis=options.basis, charge=options.charge, spin=options.spin,
                    symmetry=True if options.symmetry == "auto" else options.symmetry,
                    unit=options.unit, verbose=0)
    except (RuntimeError, KeyError, ValueError, OSError) as error:
        raise SystemExit(f"no such molecule: {' '.join(str(error).split())}; expected atoms as 'O 0 0 0; H 0 0 1', a "
                         "basis that PySCF has, and a charge and spin that go with the electrons") from None
    mf = scf.UHF(mol) if options.uhf else scf.RHF(mol) if options.spin == 0 else scf.ROHF(mol)
    mf.conv_tol = 1e-12
    mf.kernel()
    if not mf.converged:
        raise SystemExit("Hartree-Fock did not converge; try another geometry or basis")
    return mf


def active_space(mf, active):
    """A CASCI object of all orbitals, or of those asked for."""
    norb = mf.mo_coeff[0].shape[1] if is_unrestricted(mf) else mf.mo_coeff.shape[1]
    electrons, orbitals = active or (mf.mol.nelectron, norb)
    inactive = mf.mol.nelectron - electrons
    if inactive < 0 or inactive % 2 or orbitals < 1 or inactive // 2 + orbitals > norb:
        raise SystemExit(f"--active {electrons} {orbitals}: expected at most {mf.mol.nelectron} electrons, an even number "
                         f"fewer, and with {max(inactive, 0) // 2} inactive at most {norb} orbitals")
    return (mcscf.UCASCI if is_unrestricted(mf) else mcscf.CASCI)(mf, orbitals, electrons)


def is_unrestricted(mf):
    return isinstance(mf, scf.uhf.UHF)


def spatial_orbitals(mf, casci):
    """Of each kind of electrons the inactive and the active orbitals: alpha and beta, or one for both."""
    several = zip(mf.mo_coeff, casci.ncore) if is_unrestricted(mf) else [(mf.mo_coeff, casci.ncore)]
    return [(np.asarray(mine[:, :core]), np.asarray(mine[:, core:core + casci.ncas])) for mine, core in several]


def write_spin_blocks(casci, active, h1e, energy, path):
    """Integrals of different alpha and beta orbitals: aa, bb, ab, h of alpha, h of beta, the core energy."""
    def lines(values, pairs, of_pair):
        for (i, j), row in zip(pairs, values):
            for (k, l), value in zip(of_pair, row):
                if abs(value) > 1e-14:
                    yield f" {value:.16g} {i} {j} {k} {l}\n"

    mol, (alpha, beta) = casci.mol, active
    pairs = [(p + 1, q + 1) for p in range(casci.ncas) for q in range(p + 1)]
    close = " 0.0 0 0 0 0\n"
    with open(path, "w", encoding="ascii") as out:
        out.write(f"&FCI NORB={casci.ncas},NELEC={sum(casci.nelecas)},MS2={casci.nelecas[0] - casci.nelecas[1]},\n"
                  f"  ORBSYM={'1,' * casci.ncas}\n  ISYM=1,IUHF=1,\n&END\n")
        for left, right in ((alpha, alpha), (beta, beta), (alpha, beta)):
            block = ao2mo.general(mol, (left, left, right, right), compact=True)
            if left is right:
                block = np.tril(block)
            out.writelines(lines(block, pairs, pairs))
            out.write(close)
        for h in h1e:
            out.writelines(f" {h[i - 1, j - 1]:.16g} {i} {j} 0 0\n" for i, j in pairs if abs(h[i - 1, j - 1]) > 1e-14)
            out.write(close)
        out.write(f" {energy:.16g} 0 0 0 0\n")


def write_integrals(mf, casci, path):
    """Returns the one-electron integrals that were written, of unrestricted orbitals for both spins."""
    h1e, energy = casci.get_h1eff()
    if is_unrestricted(mf):
        write_spin_blocks(casci, [active for _, active in spatial_orbitals(mf, casci)], h1e, energy, path)
        return h1e
    if casci.ncas == mf.mo_coeff.shape[1]:
        fcidump.from_scf(mf, path, tol=1e-14, float_format=" %.16g", molpro_orbsym=True)
        return h1e
    labels = getattr(mf.mo_coeff, "orbsym", None)
    if labels is not None:
        group = {"Dooh": "D2h", "Coov": "C2v", "SO3": "D2h"}.get(mf.mol.groupname, mf.mol.groupname)
        numbers = fcidump.ORBSYM_MAP[group]
        labels = [numbers[label % 10] for label in labels[casci.ncore:casci.ncore + casci.ncas]]
    fcidump.from_integrals(path, h1e, casci.get_h2eff(), casci.ncas, sum(casci.nelecas), energy, mf.mol.spin,
                           labels, tol=1e-14, float_format=" %.16g")
    return h1e


def matrices_of(mol, origin, name):
    """Minus moments of the electrons, or derivatives, over atomic orbitals."""
    with mol.with_common_origin(origin):
        if name == "dipole":
            return -mol.intor_symmetric("int1e_r", comp=3)
        if name == "quadrupole":
            return -mol.intor_symmetric("int1e_rr", comp=9)[[0, 1, 2, 4, 5, 8]]
        found = -mol.intor("int1e_ipovlp", comp=3) if name == "velocity" else mol.intor("int1e_cg_irxp", comp=3)
    return (found - found.transpose(0, 2, 1)) / 2


UNITS = {"dipole": "e a0", "velocity": "1/a0", "quadrupole": "e a0^2", "angular_momentum": "hbar"}


def write_operators(mf, casci, h1e, names, path):
    """Operators about the centre of nuclear charge, as docs/properties.md describes the file."""
    mol, orbitals = mf.mol, spatial_orbitals(mf, casci)
    charges, places = mol.atom_charges(), mol.atom_coords()
    origin = charges @ places / charges.sum()
    places = places - origin
    endings = ("", "_beta")[:len(orbitals)]
    inactive_electrons = sum(inactive.shape[1] for inactive, _ in orbitals) * (2 // len(orbitals))
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "ci-solve operators", "schema": 1, "operators": " ".join(names)})
        for ending, h in zip(endings, h1e if len(orbitals) == 2 else [h1e]):
            file["one_electron" + ending] = np.asarray(h, dtype=np.float64)
        for name in names:
            matrices = matrices_of(mol, origin, name)
            components = ("xx", "xy", "xz", "yy", "yz", "zz") if name == "quadrupole" else ("x", "y", "z")
            group = file.create_group(name)
            group.attrs.update({"components": " ".join(components), "unit": UNITS[name]})
            for ending, (_, active) in zip(endings, orbitals):
                for component, matrix in zip(components, matrices):
                    group[component + ending] = active.T @ matrix @ active
            is_moment = name in ("dipole", "quadrupole")
            group.attrs["symmetry"] = "symmetric" if is_moment else "antisymmetric"
            if name != "velocity":
                group["origin"] = origin
                group.attrs["origin_note"] = "centre of nuclear charge"
            if is_moment:
                of_nuclei = places if name == "dipole" else np.einsum("ix,iy->ixy", places, places).reshape(-1, 9)
                nuclei = charges @ (of_nuclei if name == "dipole" else of_nuclei[:, [0, 1, 2, 4, 5, 8]])
                of_core = sum(np.einsum("pi,xpq,qi->x", inactive, matrices, inactive) for inactive, _ in orbitals)
                group["constants"] = nuclei + of_core * (2 // len(orbitals))
                group.attrs["core_charge"] = float(charges.sum() - inactive_electrons)
        write_basis(mol, orbitals, file)


def write_basis(mol, several, file):
    """Orbitals over basis functions that are normalised to 1, as docs/properties.md describes them."""
    shells = [(mol.bas_atom(b) + 1, mol.bas_angular(b), mol.bas_exp(b), coefficients)
              for b in range(mol.nbas) for coefficients in mol.bas_ctr_coeff(b).T]
    overlap = mol.intor_symmetric("int1e_ovlp")
    norms = np.sqrt(overlap.diagonal())  # Cartesian functions of PySCF are not normalised
    atoms = range(mol.natm)
    group = file.create_group("basis")
    group.attrs.update({"version": 1, "functions": "cartesian" if mol.cart else "spherical"})
    whole = np.int64
    group["atomic_numbers"] = np.array([mol.atom_charge(i) + mol.atom_nelec_core(i) for i in atoms], whole)
    group["charges"] = np.array([mol.atom_charge(i) for i in atoms], np.float64)
    group["coordinates"] = mol.atom_coords()
    for name, values in (("atoms", [shell[0] for shell in shells]), ("momenta", [shell[1] for shell in shells]),
                         ("primitives", [len(shell[2]) for shell in shells])):
        group[f"shell_{name}"] = np.array(values, whole)
    group["exponents"] = np.concatenate([shell[2] for shell in shells])
    group["coefficients"] = np.concatenate([shell[3] for shell in shells])
    group["overlap"] = overlap / np.outer(norms, norms)
    for ending, (inactive, active) in zip(("", "_beta"), several):
        group["orbitals" + ending] = norms[:, None] * active
        if inactive.shape[1]:
            group["inactive" + ending] = norms[:, None] * inactive


def main():
    options = options_given()
    mf = field_of(options)
    casci = active_space(mf, options.active)
    beside = options.operators or os.path.splitext(options.output)[0] + ".operators.h5"
    try:
        h1e = write_integrals(mf, casci, options.output)
        if beside != "none":
            write_operators(mf, casci, h1e, ["dipole", "velocity", *options.also], beside)
    except OSError as error:
        raise SystemExit(f"{error}; expected a folder that can be written to") from None
    written = options.output if beside == "none" else f"{options.output} and {beside}"
    print(f"Hartree-Fock energy {mf.e_tot:.9f}; wrote {written}")


if __name__ == "__main__":
    main()
