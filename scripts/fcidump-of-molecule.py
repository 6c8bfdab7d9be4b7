#!/usr/bin/env python3
"""Writes the integrals of a molecule over its Hartree-Fock orbitals as an FCIDUMP file.

  scripts/fcidump-of-molecule.py "N 0 0 -1; N 0 0 1" --basis sto-3g --symmetry D2h -o n2.fcidump

Beside it, n2.operators.h5 holds the dipole and velocity operators over the same orbitals, and these
over their basis functions, for 'problem.operators'. Needs PySCF: python3 -m venv .venv && .venv/bin/pip install pyscf
and then .venv/bin/python in front of the command.
"""

import argparse
import os

try:
    import h5py
    import numpy as np
    from pyscf import gto, mcscf, scf
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
    mf = scf.RHF(mol) if options.spin == 0 else scf.ROHF(mol)
    mf.conv_tol = 1e-12
    mf.kernel()
    if not mf.converged:
        raise SystemExit("Hartree-Fock did not converge; try another geometry or basis")
    return mf


def active_space(mf, active):
    """A CASCI object of all orbitals, or of those asked for."""
    norb = mf.mo_coeff.shape[1]
    electrons, orbitals = active or (mf.mol.nelectron, norb)
    inactive = mf.mol.nelectron - electrons
    if inactive < 0 or inactive % 2 or orbitals < 1 or inactive // 2 + orbitals > norb:
        raise SystemExit(f"--active {electrons} {orbitals}: expected at most {mf.mol.nelectron} electrons, an even number "
                         f"fewer, and with {max(inactive, 0) // 2} inactive at most {norb} orbitals")
    return mcscf.CASCI(mf, orbitals, electrons)


def write_integrals(mf, casci, path):
    """Returns the one-electron integrals that were written."""
    h1e, energy = casci.get_h1eff()
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


def write_operators(mf, casci, h1e, path):
    """Dipole and velocity, as docs/properties.md describes the file."""
    mol = mf.mol
    charges, places = mol.atom_charges(), mol.atom_coords()
    origin = charges @ places / charges.sum()
    inactive = np.asarray(mf.mo_coeff[:, :casci.ncore])
    active = np.asarray(mf.mo_coeff[:, casci.ncore:casci.ncore + casci.ncas])
    with mol.with_common_origin(origin):
        position = mol.intor_symmetric("int1e_r", comp=3)
    velocity = -mol.intor("int1e_ipovlp", comp=3)
    of_core = 2 * np.einsum("pi,xpq,qi->x", inactive, position, inactive)
    constants = charges @ (places - origin) - of_core
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "ci-solve operators", "schema": 1, "operators": "dipole velocity"})
        file["one_electron"] = np.asarray(h1e, dtype=np.float64)
        for name, matrices, unit, symmetry in (("dipole", -position, "e a0", "symmetric"),
                                               ("velocity", velocity, "1/a0", "antisymmetric")):
            group = file.create_group(name)
            group.attrs.update({"components": "x y z", "unit": unit, "symmetry": symmetry})
            for component, matrix in zip("xyz", matrices):
                group[component] = active.T @ matrix @ active
        dipole = file["dipole"]
        dipole["constants"], dipole["origin"] = constants, origin
        dipole.attrs.update({"origin_note": "centre of nuclear charge",
                             "core_charge": float(charges.sum() - 2 * casci.ncore)})
        write_basis(mol, inactive, active, file)


def write_basis(mol, inactive, active, file):
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
    group["orbitals"] = norms[:, None] * active
    if inactive.shape[1]:
        group["inactive"] = norms[:, None] * inactive


def main():
    options = options_given()
    mf = field_of(options)
    casci = active_space(mf, options.active)
    beside = options.operators or os.path.splitext(options.output)[0] + ".operators.h5"
    try:
        h1e = write_integrals(mf, casci, options.output)
        if beside != "none":
            write_operators(mf, casci, h1e, beside)
    except OSError as error:
        raise SystemExit(f"{error}; expected a folder that can be written to") from None
    written = options.output if beside == "none" else f"{options.output} and {beside}"
    print(f"Hartree-Fock energy {mf.e_tot:.9f}; wrote {written}")


if __name__ == "__main__":
    main()
