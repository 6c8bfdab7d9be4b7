#!/usr/bin/env python3
"""Writes the integral files of tests/data and configs, and tests/data/references.json.

Needs PySCF and the TREXIO library: pip install pyscf trexio
Run it from the root of the repository. The files are kept in the repository, so that nothing but
this script needs either package.
"""

import json
import os

import numpy as np
import trexio
from pyscf import ao2mo, ci, fci, gto, scf, symm
from pyscf.tools.fcidump import ORBSYM_MAP

SMALL = 1e-13  # integrals below this are left out


def header(n, electrons, ms2, orbsym, more=""):
    return (f" &FCI NORB={n},NELEC={electrons},MS2={ms2},\n"
            f"  ORBSYM={','.join(map(str, orbsym))},\n  ISYM=1,{more}\n &END\n")


def line(value, *index):
    return f" {value:23.16E} {' '.join(f'{i:3d}' for i in index)}\n"


def one_electron(h):
    n = len(h)
    return "".join(line(h[p, q], p + 1, q + 1, 0, 0)
                   for p in range(n) for q in range(p + 1) if abs(h[p, q]) > SMALL)


def two_electron(v, exchange_pairs=True):
    """v[pq, rs] over packed pairs; each element once, or in both orders of the pairs."""
    n = int((np.sqrt(8 * len(v) + 1) - 1) / 2)
    pairs = [(p, q) for p in range(n) for q in range(p + 1)]
    return "".join(line(v[i, j], pairs[i][0] + 1, pairs[i][1] + 1, pairs[j][0] + 1, pairs[j][1] + 1)
                   for i in range(len(pairs)) for j in range(i + 1 if exchange_pairs else len(pairs))
                   if abs(v[i, j]) > SMALL)


def restricted(mf):
    """h, packed (pq|rs), core energy, Molpro's irreps."""
    c = mf.mo_coeff
    mol = mf.mol
    ids = symm.label_orb_symm(mol, mol.irrep_id, mol.symm_orb, c)
    orbsym = [ORBSYM_MAP[mol.groupname][i] for i in ids]
    return c.T @ mf.get_hcore() @ c, ao2mo.kernel(mol, c, compact=True), mol.energy_nuc(), orbsym


def write_restricted(path, mf):
    h, v, core, orbsym = restricted(mf)
    with open(path, "w", encoding="ascii") as out:
        out.write(header(len(h), mf.mol.nelectron, mf.mol.spin, orbsym))
        out.write(two_electron(v) + one_electron(h) + line(core, 0, 0, 0, 0))
    return h, v, core


def write_six_blocks(path, mf):
    mol = mf.mol
    (a, b), core = mf.mo_coeff, mol.energy_nuc()
    h = mf.get_hcore()
    aa, bb = ao2mo.kernel(mol, a), ao2mo.kernel(mol, b)
    ab = ao2mo.general(mol, (a, a, b, b), compact=True)
    close = line(0, 0, 0, 0, 0)
    n = a.shape[1]
    with open(path, "w", encoding="ascii") as out:
        out.write(header(n, mol.nelectron, mol.spin, [1] * n, "IUHF=1,"))
        out.write(two_electron(aa) + close + two_electron(bb) + close + two_electron(ab, False))
        out.write(close + one_electron(a.T @ h @ a) + close + one_electron(b.T @ h @ b) + close)
        out.write(line(core, 0, 0, 0, 0))
    solver = fci.direct_uhf.FCISolver(mol)
    solver.conv_tol = 1e-13
    eri = (ao2mo.restore(1, aa, n), unpack_mixed(ab, n), ao2mo.restore(1, bb, n))
    energy, _ = solver.kernel((a.T @ h @ a, b.T @ h @ b), eri, n, mol.nelec)
    return energy + core


def unpack_mixed(v, n):
    full = np.empty((n, n, n, n))
    pairs = [(p, q) for p in range(n) for q in range(p + 1)]
    for i, (p, q) in enumerate(pairs):
        for j, (r, s) in enumerate(pairs):
            full[p, q, r, s] = full[q, p, r, s] = full[p, q, s, r] = full[q, p, s, r] = v[i, j]
    return full


def write_trexio(path, mf, h, v, core):
    """Writes these integrals, with the reference and its alpha excitations from the highest occupied
    orbital to the two lowest empty ones as determinants."""
    if os.path.exists(path):
        os.remove(path)
    n = len(h)
    file = trexio.File(path, "w", back_end=trexio.TREXIO_HDF5)
    trexio.write_nucleus_num(file, mf.mol.natm)
    trexio.write_nucleus_repulsion(file, core)
    trexio.write_electron_num(file, mf.mol.nelectron)
    trexio.write_electron_up_num(file, mf.mol.nelec[0])
    trexio.write_electron_dn_num(file, mf.mol.nelec[1])
    trexio.write_mo_num(file, n)
    trexio.write_mo_1e_int_core_hamiltonian(file, h)
    full = ao2mo.restore(1, v, n)
    index, value = [], []
    for p in range(n):
        for q in range(p + 1):
            for r in range(p + 1):
                for s in range(r + 1):
                    if p * (p + 1) // 2 + q >= r * (r + 1) // 2 + s and abs(full[p, q, r, s]) > SMALL:
                        index.append((p, r, q, s))  # (pq|rs) = <pr|qs>
                        value.append(full[p, q, r, s])
    half = len(value) // 2  # in two pieces, as larger programs write them
    for first, last in ((0, half), (half, len(value))):
        trexio.write_mo_2e_int_eri(file, first, last - first,
                                   np.array(index[first:last], dtype=np.int32),
                                   np.array(value[first:last]))
    occupied = mf.mol.nelec[0]
    full_string = (1 << occupied) - 1
    alphas = [full_string] + [full_string ^ (1 << (occupied - 1)) | (1 << to)
                              for to in (occupied, occupied + 1)]
    trexio.write_determinant_list(file, 0, len(alphas),
                                  np.array([[a, full_string] for a in alphas], dtype=np.int64))
    trexio.write_determinant_coefficient(file, 0, len(alphas), np.array([0.9, 0.3, 0.1]))
    file.close()


def scf_of(atoms, basis, group, spin=0, unrestricted=False):
    mol = gto.M(atom=atoms, basis=basis, symmetry=group, spin=spin, verbose=0)
    mf = scf.UHF(mol) if unrestricted else scf.RHF(mol)
    mf.conv_tol = 1e-13
    mf.kernel()
    return mf


def full_ci(h, v, core, electrons):
    solver = fci.direct_spin1.FCI()
    solver.conv_tol = 1e-13
    return solver.kernel(h, v, len(h), electrons)[0] + core


def main():
    water = "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692"
    references = {"about": "Total energies in Hartree by PySCF: Hartree-Fock, CISD with all "
                           "electrons, full CI. The files are written by "
                           "scripts/generate-integrals.py."}

    mf = scf_of(water, "sto-3g", "C2v")
    integrals = write_restricted("tests/data/h2o_sto3g.fcidump", mf)
    write_trexio("tests/data/h2o_sto3g.trexio.h5", mf, *integrals)
    references["h2o_sto3g.fcidump"] = {
        "hf": mf.e_tot, "cisd": ci.CISD(mf).set(conv_tol=1e-13).kernel()[0] + mf.e_tot,
        "fci": full_ci(*integrals, mf.mol.nelec)}

    mf = scf_of("O 0 0 0; H 0 0 0.97", "sto-3g", False, spin=1, unrestricted=True)
    references["oh_uhf.fcidump"] = {
        "hf": mf.e_tot, "fci": write_six_blocks("tests/data/oh_uhf.fcidump", mf)}

    mf = scf_of(water, "6-31g", "C2v")
    integrals = write_restricted("configs/h2o.fcidump", mf)
    references["configs/h2o.fcidump"] = {
        "hf": mf.e_tot, "cisd": ci.CISD(mf).set(conv_tol=1e-13).kernel()[0] + mf.e_tot,
        "fci": full_ci(*integrals, mf.mol.nelec)}

    mf = scf_of("N 0 0 -1; N 0 0 1", "sto-3g", "D2h")
    integrals = write_restricted("configs/n2_stretched.fcidump", mf)
    references["configs/n2_stretched.fcidump"] = {
        "hf": mf.e_tot, "fci": full_ci(*integrals, mf.mol.nelec)}

    with open("tests/data/references.json", "w", encoding="ascii") as out:
        json.dump(references, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
