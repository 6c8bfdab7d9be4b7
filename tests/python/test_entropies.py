"""Entropies of orbitals and mutual information, from the vectors that a result has."""

from __future__ import annotations

import itertools
import pickle

import ci_solve
import numpy as np
import pytest
import twin
from ci_solve import UsageError

ALL = {"analysis": {"entropies": "all"}}


def sign_of_order(modes, order):
    """Of the permutation that brings creators from ascending modes into another order."""
    places = [order.index(mode) for mode in modes]
    return (-1) ** sum(a > b for a, b in itertools.combinations(places, 2))


def entropy(result, state, kept, orbitals):
    """Of the orbitals that are kept, by a trace over the occupations of all others."""
    order = [mode for p in kept for mode in (p, orbitals + p)]
    order += [mode for mode in range(2 * orbitals) if mode not in order]
    amplitudes: dict = {}
    alpha, beta = result.determinants
    for a, b, c in zip(alpha.tolist(), beta.tolist(), result.vectors[:, state]):
        modes = [p for p in range(orbitals) if a >> p & 1] + [orbitals + p for p in range(orbitals) if b >> p & 1]
        here = sum(1 << order.index(mode) for mode in modes if order.index(mode) < 2 * len(kept))
        rest = frozenset(mode for mode in modes if order.index(mode) >= 2 * len(kept))
        amplitudes.setdefault(rest, np.zeros(4 ** len(kept)))[here] = sign_of_order(modes, order) * c
    density = sum(np.outer(row, row) for row in amplitudes.values())
    weights = np.linalg.eigvalsh(density)
    weights = weights[weights > 1e-300]
    return -(weights * np.log(weights)).sum()


def random_problem(spins, orbitals=5, seed=4):
    rng = np.random.default_rng(seed)
    h = [twin.random_one_body(rng, orbitals) for _ in range(spins)]
    g = [twin.random_two_body(rng, orbitals, same) for same in (True, False, True)]
    return (h[0], g[0]) if spins == 1 else (tuple(h), tuple(g))


@pytest.mark.parametrize("spins", [1, 2])
def test_entropies_are_those_of_the_vectors(spins):
    h, g = random_problem(spins)
    result = ci_solve.solve(one_body=h, two_body=g, electrons=(3, 2), states=2, request=ALL)
    for state in range(2):
        single, mutual = result.entropies(state), result.mutual_information(state)
        assert single.shape == (5,) and mutual.shape == (5, 5)
        assert result[state]["entropies"] == single.tolist()
        known = [entropy(result, state, [p], 5) for p in range(5)]
        assert single == pytest.approx(known, abs=1e-11)
        for i, j in itertools.combinations(range(5), 2):
            pair = known[i] + known[j] - entropy(result, state, [i, j], 5)
            assert mutual[i, j] == pytest.approx(pair, abs=1e-11)
            assert mutual[j, i] == mutual[i, j]
        assert (mutual.diagonal() == 0).all()


def test_entropies_are_kept_with_a_result(tmp_path):
    h, g = random_problem(1)
    result = ci_solve.solve(one_body=h, two_body=g, electrons=(3, 2), states=2, request=ALL)
    result.save(tmp_path / "a.npz")
    result.write(tmp_path / "out")
    copies = [ci_solve.load(tmp_path / "a.npz"), ci_solve.load(tmp_path / "out"), pickle.loads(pickle.dumps(result))]
    for copy in copies:
        assert (copy.entropies(1) == result.entropies(1)).all()
        assert (copy.mutual_information(1) == result.mutual_information(1)).all()


def test_entropies_that_were_not_asked_for_are_refused_with_the_key():
    result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
    assert result[0]["entropies"] is None
    for found in (result.entropies, result.mutual_information):
        with pytest.raises(UsageError, match="expected analysis: {entropies: all}"):
            found()
    with pytest.raises(UsageError, match="state 1; expected -1 to 0"):
        result.entropies(1)
