#!/usr/bin/env python3
"""Writes the integrals of a molecule over its Hartree-Fock orbitals as an FCIDUMP file.

  scripts/fcidump-of-molecule.py "N 0 0 -1; N 0 0 1" --basis sto-3g --symmetry D2h -o n2.fcidump

Needs PySCF: python3 -m venv .venv && .venv/bin/pip install pyscf
and then .venv/bin/python in front of the command.
"""

import argparse

try:
    from pyscf import gto, scf
    from pyscf.tools import fcidump
except ModuleNotFoundError as missing:
    raise SystemExit(f"{missing}; expected PySCF: python3 -m venv .venv && .venv/bin/pip install pyscf, "
                     "and .venv/bin/python in front of this command") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("atoms", help="'element x y z; ...' in Angstrom, or an .xyz file")
    parser.add_argument("--basis", default="sto-3g")
    parser.add_argument("--symmetry", default=False,
                        help="the abelian point group; none where it is not given")
    parser.add_argument("--charge", type=int, default=0)
    parser.add_argument("--spin", type=int, default=0, help="unpaired electrons")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()

    mol = gto.M(atom=options.atoms, basis=options.basis, symmetry=options.symmetry,
                charge=options.charge, spin=options.spin, verbose=0)
    mf = scf.RHF(mol) if options.spin == 0 else scf.ROHF(mol)
    mf.conv_tol = 1e-12
    mf.kernel()
    if not mf.converged:
        raise SystemExit("Hartree-Fock did not converge; try another geometry or basis")
    fcidump.from_scf(mf, options.output, tol=1e-14, float_format=" %.16g", molpro_orbsym=True)
    print(f"Hartree-Fock energy {mf.e_tot:.9f}; wrote {options.output}")


if __name__ == "__main__":
    main()
