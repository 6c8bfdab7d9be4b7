#!/usr/bin/env python3
"""Writes tests/data/random_systems.json: 20 small random systems, solved by PySCF.

Needs PySCF: pip install pyscf
Run it from the root of the repository. The integrals are a rule (ci/fock/integrals/random_integrals.hpp), so none
are kept. PySCF gives the Hamiltonian over all determinants; here it is restricted to those of the
space and diagonalised densely, and the states are embedded again for PySCF's spins and densities.
"""

import itertools
import json
import random

import numpy as np
from pyscf import fci
from pyscf.fci import cistring, direct_spin1, direct_uhf, spin_op

MASK = (1 << 64) - 1
STATES = 4
APART = 1e-5  # states closer than this may mix; their densities are not kept


def mix(counter, second=None):
    z = (counter + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return z if second is None else mix(z ^ second)


def pair(p, q):
    return p * (p + 1) // 2 + q if p >= q else q * (q + 1) // 2 + p


class Integrals:
    """The rule of ci::random_integrals()."""

    def __init__(self, system):
        self.n = system["orbitals"]
        self.seed = system["seed"]
        self.coupling = system["coupling"]
        self.labels = system["irreps"] or [0] * self.n
        self.one = [self.one_electron(0)]
        self.two = [self.two_electron(1, True)]
        if system["spin_dependent"]:
            self.one.append(self.one_electron(2))
            self.two = [self.two[0], self.two_electron(4, False), self.two_electron(3, True)]

    def value(self, stream, place):
        bits = mix(mix(self.seed, stream), place)
        return self.coupling * (2 * (float(bits >> 11) * 2.0**-53) - 1)

    def one_electron(self, stream):
        h = np.zeros((self.n, self.n))
        for p in range(self.n):
            for q in range(p + 1):
                if self.labels[p] == self.labels[q]:
                    level = float(p - self.n) if p == q else 0.0
                    h[p, q] = h[q, p] = level + self.value(stream, pair(p, q))
        return h

    def two_electron(self, stream, same):
        n, pairs = self.n, pair(self.n, 0)
        v = np.zeros((n, n, n, n))
        for p, q, r, s in itertools.product(range(n), repeat=4):
            if self.labels[p] ^ self.labels[q] == self.labels[r] ^ self.labels[s]:
                left, right = pair(p, q), pair(r, s)
                place = pair(left, right) if same else left * pairs + right
                v[p, q, r, s] = self.value(stream, place)
        return v


def hamiltonian(system):
    """The Hamiltonian over all determinants, column by column from products with unit vectors."""
    integrals = Integrals(system)
    n, electrons = system["orbitals"], (system["alpha"], system["beta"])
    shape = tuple(cistring.num_strings(n, k) for k in electrons)
    if system["spin_dependent"]:
        module, one, two = direct_uhf, tuple(integrals.one), tuple(integrals.two)
    else:
        module, one, two = direct_spin1, integrals.one[0], integrals.two[0]
    absorbed = module.absorb_h1e(one, two, n, electrons, 0.5)
    matrix = np.empty((shape[0] * shape[1],) * 2)
    for column in range(len(matrix)):
        unit = np.zeros(len(matrix))
        unit[column] = 1
        product = module.contract_2e(absorbed, unit.reshape(shape), n, electrons)
        matrix[:, column] = product.ravel()
    return matrix, shape


def text(alpha, beta, n):
    return "".join("0du2"[2 * (alpha >> p & 1) + (beta >> p & 1)] for p in range(n))


def label(string, labels):
    result = 0
    for p, irrep in enumerate(labels):
        if string >> p & 1:
            result ^= irrep
    return result


def excitation(reference, determinant):
    return sum((d & ~r).bit_count() for r, d in zip(reference, determinant))


def is_in_space(system, references, listed, determinant):
    if system["irrep"] is not None:
        irrep = label(determinant[0], system["irreps"]) ^ label(determinant[1], system["irreps"])
        if irrep != system["irrep"]:
            return False
    if system["kind"] == "excited":
        return any(excitation(r, determinant) in system["levels"] for r in references)
    if system["kind"] == "ras":
        holes = sum(not string >> p & 1 for p in system["ras1"] for string in determinant)
        particles = sum(string >> p & 1 for p in system["ras3"] for string in determinant)
        return holes <= system["holes"] and particles <= system["particles"]
    return system["kind"] == "fci" or determinant in listed


def draw(number, dice):
    n = dice.randint(5, 7)
    electrons = [dice.randint(1, min(n - 1, 4)) for _ in range(2)]
    symmetric = number % 2 == 0
    system = {"orbitals": n, "alpha": electrons[0], "beta": electrons[1], "seed": 1000 + number,
              "spin_dependent": number % 3 == 2, "coupling": dice.choice([0.1, 0.3, 0.8]),
              "irreps": [dice.randint(0, 3) for _ in range(n)] if symmetric else [],
              "irrep": None, "kind": ["fci", "excited", "ras", "list", "excited"][number % 5]}
    strings = [cistring.make_strings(range(n), k) for k in electrons]
    everything = [(int(a), int(b)) for a in strings[0] for b in strings[1]]
    references, listed = [], set()
    if system["kind"] == "excited":
        references = [tuple((1 << k) - 1 for k in electrons)]
        if number % 5 == 4:
            references.append(dice.choice(everything))
        system["references"] = [text(*r, n) for r in references]
        system["levels"] = dice.choice([[0, 1], [0, 2], [0, 1, 2], [0, 1, 2, 3]])
    elif system["kind"] == "ras":
        system.update(ras1=[0], ras3=[n - 2, n - 1], holes=1, particles=dice.randint(1, 2))
    elif system["kind"] == "list":
        listed = set(dice.sample(everything, (len(everything) + 2) // 3))
        system["determinants"] = [text(*d, n) for d in sorted(listed)]
    elif symmetric:
        a, b = dice.choice(everything)
        system["irrep"] = label(a, system["irreps"]) ^ label(b, system["irreps"])
    rows = [i for i, d in enumerate(everything) if is_in_space(system, references, listed, d)]
    return system, everything, rows


def rounded(value):
    return float(f"{value:.13g}") if abs(value) > 1e-13 else 0.0


def densities(vector, n, electrons, dice):
    (one_a, one_b), (aa, ab, bb) = direct_spin1.make_rdm12s(vector, n, electrons)
    blocks = {"aa": aa, "ab": ab, "bb": bb}
    elements = []
    for name, block in blocks.items():
        for _ in range(8):
            place = [dice.randrange(n) for _ in range(4)]
            elements.append([name, *place, rounded(block[tuple(place)])])
    return {"alpha": [rounded(one_a[p, q]) for p in range(n) for q in range(p + 1)],
            "beta": [rounded(one_b[p, q]) for p in range(n) for q in range(p + 1)],
            "squares": {name: rounded((block**2).sum()) for name, block in blocks.items()},
            "elements": elements}


def solve(number):
    dice = random.Random(number)
    system, everything, rows = draw(number, dice)
    n, electrons = system["orbitals"], (system["alpha"], system["beta"])
    matrix, shape = hamiltonian(system)
    energies, vectors = np.linalg.eigh(matrix[np.ix_(rows, rows)])
    system["dimension"] = len(rows)
    system["states"] = []
    for j in range(min(STATES, len(rows))):
        vector = np.zeros(shape[0] * shape[1])
        vector[rows] = vectors[:, j]
        gaps = np.abs(np.delete(energies, j) - energies[j])
        state = {"energy": rounded(energies[j])}
        if len(rows) == 1 or gaps.min() > APART:
            state["s2"] = rounded(spin_op.spin_square0(vector.reshape(shape), n, electrons)[0])
            a, b = everything[int(np.argmax(np.abs(vector)))]
            if system["irreps"]:
                state["irrep"] = label(a, system["irreps"]) ^ label(b, system["irreps"])
            state["density"] = densities(vector.reshape(shape), n, electrons, dice)
        system["states"].append(state)
    return system


def main():
    systems = [solve(number) for number in range(20)]
    for number, system in enumerate(systems):
        kept = sum("density" in state for state in system["states"])
        print(number, system["kind"], system["orbitals"], system["alpha"], system["beta"],
              system["dimension"], f"{kept} densities")
    about = ("Energies, <S^2>, irreps and density matrices by PySCF " + fci.__name__.split(".")[0] +
             "'s FCI modules; the integrals are those of ci::random_integrals(). Written by "
             "scripts/generate-random-systems.py.")
    with open("tests/data/random_systems.json", "w", encoding="ascii") as out:
        out.write('{"about": ' + json.dumps(about) + ',\n "systems": [\n')
        out.write(",\n".join(json.dumps(system) for system in systems))
        out.write("\n]}\n")


if __name__ == "__main__":
    main()
