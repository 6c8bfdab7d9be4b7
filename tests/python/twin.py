"""A short, naive and obviously right twin: Hamiltonians as dense matrices, by operators on occupations."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def strings(orbitals: int, electrons: int) -> list[int]:
    """All of them, ascending as numbers."""
    return sorted(sum(1 << p for p in chosen) for chosen in combinations(range(orbitals), electrons))


def one_move(orbitals: int, electrons: int) -> np.ndarray:
    """E[p, q] = a+_p a_q as matrices between strings."""
    basis = strings(orbitals, electrons)
    place = {string: i for i, string in enumerate(basis)}
    moves = np.zeros((orbitals, orbitals, len(basis), len(basis)))
    for i, string in enumerate(basis):
        for q in range(orbitals):
            if not string >> q & 1:
                continue
            without = string ^ 1 << q
            below = (string & ((1 << q) - 1)).bit_count()
            for p in range(orbitals):
                if without >> p & 1:
                    continue
                passed = below + (without & ((1 << p) - 1)).bit_count()
                moves[p, q, place[without | 1 << p], i] = (-1) ** passed
    return moves


def hamiltonian(h, g, electrons, core=0.0) -> np.ndarray:
    """h = (alpha, beta), g = (aa, ab, bb), all four indices; alpha strings vary slowest."""
    n = len(h[0])
    alpha, beta = (one_move(n, count) for count in electrons)
    one_a, one_b = np.eye(alpha.shape[-1]), np.eye(beta.shape[-1])
    total = core * np.kron(one_a, one_b)
    for moves, one, two in ((alpha, h[0], g[0]), (beta, h[1], g[2])):
        # sum h_pq E_pq + 1/2 sum (pq|rs) (E_pq E_rs - delta_qr E_ps)
        single = np.einsum("pq,pqij->ij", one - 0.5 * np.einsum("prrq->pq", two), moves)
        both = 0.5 * np.einsum("pqrs,pqij,rsjk->ik", two, moves, moves, optimize=True)
        total += np.kron(single + both, one_b) if moves is alpha else np.kron(one_a, single + both)
    total += np.einsum("pqrs,pqij,rskl->ikjl", g[1], alpha, beta, optimize=True).reshape(total.shape)
    return total


def random_two_body(rng, orbitals: int, same: bool = True) -> np.ndarray:
    """(pq|rs) with the symmetry of real orbitals, of one spin or of two."""
    g = rng.normal(size=(orbitals,) * 4)
    g = g + g.transpose(1, 0, 2, 3)
    g = g + g.transpose(0, 1, 3, 2)
    return g + g.transpose(2, 3, 0, 1) if same else g


def random_one_body(rng, orbitals: int) -> np.ndarray:
    """Symmetric."""
    h = rng.normal(size=(orbitals, orbitals))
    return h + h.T
