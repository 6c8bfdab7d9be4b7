#!/usr/bin/env python3
"""Writes tests/data/lattice_energies.json: the lowest energies of Hubbard models, by SciPy.

Needs SciPy: pip install scipy
Run it from the root of the repository. Hoppings of one spin are products of Jordan-Wigner matrices over all
2^N occupations, restricted to the right number of electrons; a state is a matrix over the strings of both
spins, and U counts doubly occupied sites. Translations are matrices, too, and a projection gives the energies
of each momentum. No bit operations, no integrals, no orbits.
"""

import json

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

CASES = [  # electrons of each spin, and the number of states of each momentum; none: the lowest of all
    {"columns": 10, "rows": 1, "each": 5, "u": 4.0, "states": 2},
    {"columns": 4, "rows": 3, "each": 3, "u": 4.0, "states": 2},
    {"columns": 4, "rows": 3, "each": 6, "u": 4.0, "states": 0},
]


def annihilators(sites):
    """Jordan-Wigner matrices: a string of signs, the operator, and ones."""
    lower = sparse.csr_matrix([[0.0, 1.0], [0.0, 0.0]])
    sign = sparse.csr_matrix([[1.0, 0.0], [0.0, -1.0]])
    one = sparse.identity(2, format="csr")
    found = []
    for site in range(sites):
        product = sparse.identity(1, format="csr")
        for other in range(sites):
            product = sparse.kron(product, sign if other < site else lower if other == site else one,
                                  format="csr")
        found.append(product)
    return found


def one_spin(sites, electrons, pairs):
    """The hoppings of one spin over the strings with this number of electrons, and their occupations."""
    lower = annihilators(sites)
    occupied = np.stack([(a.T @ a).diagonal() for a in lower], axis=1)
    kept = np.flatnonzero(occupied.sum(axis=1) == electrons)
    hopping = sum(lower[a].T @ lower[b] + lower[b].T @ lower[a] for a, b in pairs)
    return lower, -hopping.tocsr()[kept][:, kept], occupied[kept], kept


def translation(lower, kept, image):
    """Operator that maps the creator of each site to that of its image, and the vacuum to itself."""
    size = lower[0].shape[0]
    occupied = np.stack([(a.T @ a).diagonal() for a in lower], axis=1)
    rows, columns, values = [], [], []
    empty = np.zeros(size)
    empty[np.flatnonzero(occupied.sum(axis=1) == 0)] = 1
    for column, state in enumerate(kept):
        before, after = empty, empty
        for site in reversed(np.flatnonzero(occupied[state])):
            before = lower[site].T @ before
            after = lower[image[site]].T @ after
        place = np.flatnonzero(after)[0]
        rows.append(np.searchsorted(kept, place))
        columns.append(column)
        values.append(after[place] * before[state])
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(kept), len(kept)))


def neighbours(columns, rows):
    site = lambda x, y: x % columns + columns * (y % rows)  # noqa: E731
    pairs = {tuple(sorted((site(x, y), site(x + dx, y + dy))))
             for x in range(columns) for y in range(rows) for dx, dy in ((1, 0), (0, 1))}
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def solve(case):
    columns, rows = case["columns"], case["rows"]
    sites = columns * rows
    lower, hopping, occupied, kept = one_spin(sites, case["each"], neighbours(columns, rows))
    strings = len(kept)
    shared = case["u"] * occupied @ occupied.T
    right = [x + 1 if x % columns < columns - 1 else x + 1 - columns for x in range(sites)]
    up = [(x + columns) % sites for x in range(sites)]
    shifts = [(translation(lower, kept, right), columns), (translation(lower, kept, up), rows)]

    def multiply(x):
        return hopping @ x + (hopping @ x.T).T + shared * x

    def project(x, momentum):
        for (shift, length), k in zip(shifts, momentum):
            total, image = x, x
            for step in range(1, length):
                image = (shift @ (shift @ image).T).T
                total = total + np.exp(-2j * np.pi * k * step / length) * image
            x = total / length
        return x

    size = strings**2
    if case["states"] == 0:
        h = LinearOperator((size, size), dtype=float,
                           matvec=lambda x: multiply(x.reshape(strings, strings)).ravel())
        lowest = eigsh(h, 1, which="SA", tol=1e-13, return_eigenvectors=False)
        return {**case, "rows_of_all": size, "lowest": lowest[0]}

    above = 4.0 * sites  # shift of states of other momenta
    random = np.random.default_rng(1)
    sectors = []
    for kx in range(columns):
        for ky in range(rows):
            reverse = ((-kx) % columns, (-ky) % rows)
            if reverse < (kx, ky):
                continue  # the same energies

            def apply(x, momentum=(kx, ky)):
                x = x.reshape(strings, strings)
                inside = project(x, momentum)
                return (project(multiply(inside), momentum) + above * (x - inside)).ravel()

            h = LinearOperator((size, size), matvec=apply, dtype=complex)
            start = project(random.standard_normal((strings, strings)) + 0j, (kx, ky)).ravel()
            energies = np.sort(eigsh(h, case["states"] + 2, which="SA", v0=start, tol=1e-13,
                                     ncv=24, return_eigenvectors=False))[:case["states"]]
            sectors.append({"momentum": [kx, ky], "energies": energies.tolist()})
            print(sites, case["each"], (kx, ky), energies, flush=True)
    return {**case, "rows_of_all": size, "sectors": sectors}


def main():
    with open("tests/data/lattice_energies.json", "w", encoding="utf-8") as file:
        json.dump({"by": "scripts/generate-lattice-energies.py", "cases": [solve(c) for c in CASES]},
                  file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
