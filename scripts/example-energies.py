#!/usr/bin/env python3
"""Writes tests/data/example_energies.json: reference energies of the examples in configs/ by PySCF.

Needs PySCF: pip install pyscf
Run it from the root of the repository; it reads the integrals in configs/ and writes that file
alone. Spaces without a solver in PySCF are extracted from its full matrix, row by row.
"""

import itertools
import json

import numpy as np
from pyscf import ao2mo, ci, fci, gto, scf
from pyscf.tools import fcidump


def molecule(path):
    data = fcidump.read(path, verbose=False)
    norb = data["NORB"]
    v = ao2mo.restore(1, data["H2"], norb)
    half = data["NELEC"] // 2
    return data["H1"], v, data["ECORE"], (half, half)


def frozen(h, v, core, electrons, count, most=None):
    """Freezes the lowest `count` orbitals, doubly occupied, and keeps the next `most`."""
    low = slice(0, count)
    active = slice(count, None if most is None else count + most)
    mean = 2 * np.einsum("pqii->pq", v[:, :, low, low]) - np.einsum("piiq->pq", v[:, low, low, :])
    energy = core + 2 * np.trace(h[low, low]) + np.trace(mean[low, low])
    return ((h + mean)[active, active], v[active, active, active, active], energy,
            (electrons[0] - count, electrons[1] - count))


def whole_matrix(h, v, electrons):
    """The matrix over all determinants, and the strings of both spins that make each row."""
    norb = len(h)
    strings = [fci.cistring.make_strings(range(norb), n) for n in electrons]
    size = len(strings[0]) * len(strings[1])
    address, matrix = fci.direct_spin1.pspace(h, v, norb, electrons, np=size)
    alpha, beta = np.divmod(np.asarray(address), len(strings[1]))
    return matrix, strings[0][alpha], strings[1][beta]


def excitation(ref, alpha, beta):
    return sum((int(r) & ~int(s)).bit_count() for r, s in zip(ref, (alpha, beta)))


def string_pair(text):
    """Bits of both spins from one letter per orbital: 2, u, d or 0."""
    return tuple(sum(1 << i for i, letter in enumerate(text) if letter in both)
                 for both in ("2u", "2d"))


def mrci(h, v, core, electrons, references, states):
    matrix, alpha, beta = whole_matrix(h, v, electrons)
    pairs = [string_pair(text) for text in references]
    chosen = [k for k in range(len(alpha))
              if min(excitation(pair, alpha[k], beta[k]) for pair in pairs) <= 2]
    energies = np.linalg.eigvalsh(matrix[np.ix_(chosen, chosen)])[:states]
    return {"dimension": len(chosen), "energies": list(energies + core)}


def spin(vector, norb, electrons):
    return float(fci.spin_op.spin_square0(vector, norb, electrons)[0])


def dense(h, v, core, electrons, states):
    """Dense solution: an iteration that starts in a singlet may never reach a triplet."""
    norb = len(h)
    matrix, alpha, beta = whole_matrix(h, v, electrons)
    energies, vectors = np.linalg.eigh(matrix)
    rows = {text: k for k, text in enumerate(fci.cistring.make_strings(range(norb), electrons[0]))}
    spins = []
    for state in range(states):
        vector = np.zeros([len(rows)] * 2)
        for k, (a, b) in enumerate(zip(alpha, beta)):
            vector[rows[a], rows[b]] = vectors[k, state]
        spins.append(spin(vector, norb, electrons))
    return {"dimension": len(alpha), "energies": list(energies[:states] + core), "s2": spins}


def full(h, v, core, electrons, states):
    norb = len(h)
    solver = fci.direct_spin1.FCI()
    solver.conv_tol, solver.max_cycle, solver.max_space = 1e-14, 1000, 60
    energies, vectors = solver.kernel(h, v, norb, electrons, nroots=states)
    if states == 1:
        energies, vectors = [energies], [vectors]
    return {"dimension": fci.cistring.num_strings(norb, electrons[0]) ** 2,
            "energies": [float(e) + core for e in energies],
            "s2": [spin(vector, norb, electrons) for vector in vectors]}


def hubbard(columns, rows, u):
    sites = list(itertools.product(range(rows), range(columns)))
    h = np.array([[-1.0 if abs(a - c) + abs(b - d) == 1 else 0.0 for c, d in sites]
                  for a, b in sites])
    v = np.zeros([len(sites)] * 4)
    for site in range(len(sites)):
        v[site, site, site, site] = u
    return h, v


def water_cisd(h, v, core, electrons):
    mol = gto.M(verbose=0)
    mol.nelectron, mol.incore_anyway = sum(electrons), True
    mf = scf.RHF(mol)
    mf.get_hcore = lambda *_: h
    mf.get_ovlp = lambda *_: np.eye(len(h))
    mf.energy_nuc = lambda *_: core
    mf._eri = ao2mo.restore(8, v, len(h))
    mf.conv_tol = 1e-13
    mf.kernel(dm0=np.diag([2.0] * electrons[0] + [0.0] * (len(h) - electrons[0])))
    solver = ci.CISD(mf).set(conv_tol=1e-13, max_cycle=200)
    return {"energies": [float(solver.kernel()[0] + mf.e_tot)]}


def main():
    water = molecule("configs/h2o.fcidump")
    nitrogen = frozen(*molecule("configs/n2_stretched.fcidump"), 2)
    plane = hubbard(3, 3, 4)
    found = {
        "about": "Energies, dimensions and <S^2> by PySCF, written by scripts/example-energies.py",
        "h2o-cisd": water_cisd(*water),
        "n2-excited": dense(*nitrogen, 6),
        "n2-mrci": mrci(*nitrogen, ["22222000", "22220200", "22202020", "22200220"],
                        2),
        "hubbard-plane": full(*plane, 0.0, (3, 3), 4),
        "gpu": full(*frozen(*water, 1, 8), 1),
    }
    with open("tests/data/example_energies.json", "w", encoding="ascii") as out:
        json.dump(found, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
