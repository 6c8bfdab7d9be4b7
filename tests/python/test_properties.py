"""Operators that a request gives, and the arrays of moments that a result has."""

from __future__ import annotations

import numpy as np
import pytest

import ci_solve
from ci_solve import Operator

CHAIN = {"one_body": -(np.eye(4, k=1) + np.eye(4, k=-1)), "electrons": (2, 2)}
REPULSION = np.zeros((4, 4, 4, 4))
REPULSION[np.diag_indices(4, ndim=4)] = 3.0
PLACES = np.diag([-1.5, -0.5, 0.5, 1.5])
DIPOLE = np.array([-PLACES, np.zeros((4, 4)), np.zeros((4, 4))])
HOP = np.eye(4, k=1) - np.eye(4, k=-1)


def solve(operators, **more):
    return ci_solve.solve(**CHAIN, two_body=REPULSION, operators=operators, states=4, tolerance=1e-11, **more)


def test_moments_are_traces_of_density_matrices():
    operators = {"dipole": Operator(DIPOLE, [0.25, 0, 0], unit="e sites", origin=(0, 0, 1), core_charge=4.0),
                 "hop": HOP, "field": Operator(PLACES @ PLACES)}
    result = solve(operators)
    properties, transitions = result.properties, result.transitions
    assert set(properties) == {"dipole", "field"} and properties.charge == 0  # those of hop vanish
    assert properties["dipole"].shape == (4, 3) and properties["field"].shape == (4, 1)
    for state in range(4):
        density = result.rdm1(state).sum(axis=0)
        assert properties["dipole"][state, 0] == pytest.approx(0.25 - np.sum(PLACES * density), abs=1e-12)
        assert properties["field"][state, 0] == pytest.approx(np.sum(PLACES @ PLACES * density), abs=1e-12)
    for place, state in enumerate(transitions.final):
        density = result.transition_rdm1(state).sum(axis=0)
        assert transitions.dipole[place, 0] == pytest.approx(-np.sum(PLACES * density), abs=1e-12)
        assert transitions.moments["hop"][place, 0] == pytest.approx(np.sum(HOP * density), abs=1e-12)
    energies = result.energies[1:] - result.energies[0]
    assert transitions.energies == pytest.approx(energies)
    assert transitions.oscillator_strengths == pytest.approx(2 / 3 * energies * (transitions.dipole**2).sum(axis=1))
    assert np.isnan(transitions.oscillator_strengths_velocity).all()
    assert properties.operators[0]["unit"] == "e sites" and properties.operators[0]["origin"] == [0, 0, 1]


def test_orbitals_of_their_own_have_operators_of_their_own():
    turned = np.linalg.qr(np.arange(16.0).reshape(4, 4) + np.eye(4))[0]  # of beta electrons
    one = CHAIN["one_body"]
    mixed = np.einsum("pqrs,ra,sb->pqab", REPULSION, turned, turned)
    beta = np.einsum("pqrs,pa,qb->abrs", mixed, turned, turned)
    given = {"one_body": (one, turned.T @ one @ turned), "two_body": (REPULSION, mixed, beta), "electrons": (2, 2)}
    there = Operator((DIPOLE, np.array([turned.T @ part @ turned for part in DIPOLE])), np.zeros(3))
    result = ci_solve.solve(**given, operators={"dipole": there}, states=4, tolerance=1e-11)
    same = solve({"dipole": Operator(DIPOLE, np.zeros(3))})
    assert result.energies == pytest.approx(same.energies, abs=1e-10)
    assert result.properties["dipole"] == pytest.approx(same.properties["dipole"], abs=1e-9)
    assert result.transitions.oscillator_strengths == pytest.approx(same.transitions.oscillator_strengths, abs=1e-9)
    with pytest.raises(ci_solve.BadInputError, match="no matrices over beta orbitals, but the integrals are spin-dep"):
        ci_solve.solve(**given, operators={"dipole": Operator(DIPOLE, np.zeros(3))})


@pytest.mark.parametrize(("operators", "kind", "words"), [
    ({"dipole": DIPOLE}, ci_solve.UsageError, "has no constants; expected Operator"),
    ({"field": PLACES[:3]}, ci_solve.UsageError, r"shape \(3, 4\); expected \(components, n, n\)"),
    ({"field": np.eye(5)}, ci_solve.BadInputError, "given operators: /field/value: 5 by 5 elements; expected 4 by 4"),
    ({"field": np.triu(np.ones((4, 4)))}, ci_solve.BadInputError, "element 2 1 is 0 and 1 2 is 1; expected a symmetric"),
    ({"field": np.full((4, 4), np.nan)}, ci_solve.BadInputError, "not a finite number"),
    ({"field": PLACES * 1j}, ci_solve.UsageError, "complex numbers"),
    ({"a field": PLACES}, ci_solve.BadInputError, "the name 'a field'"),
    ([PLACES], ci_solve.UsageError, "of the type list; expected a mapping"),
    ({"hop": Operator(HOP, [1.0])}, ci_solve.BadInputError, "an antisymmetric operator has the constant 1"),
    ({"field": Operator(PLACES, [1.0, 2.0])}, ci_solve.BadInputError, "2 values; expected one for each of 1"),
])  # fmt: skip
def test_what_is_no_operator_is_refused(operators, kind, words):
    with pytest.raises(kind, match=words):
        solve(operators)


def test_what_was_not_computed_is_said():
    with pytest.raises(ci_solve.UsageError, match="no properties were computed; expected operators="):
        solve(None).transitions
    request = {"analysis": {"properties": ["dipole"]}}
    with pytest.raises(ci_solve.ConfigurationError, match="names dipole, but the problem brings field"):
        ci_solve.solve(request, **CHAIN, two_body=REPULSION, operators={"field": PLACES})


def test_results_that_were_kept_have_their_properties(tmp_path):
    result = solve({"dipole": Operator(DIPOLE, np.zeros(3))})
    result.write(tmp_path / "out")
    result.save(tmp_path / "kept.npz")
    for place in ("out", "kept.npz"):
        again = ci_solve.load(tmp_path / place)
        assert (again.properties["dipole"] == result.properties["dipole"]).all()
        assert (again.transitions.dipole == result.transitions.dipole).all()
    (tmp_path / "out" / "run.json").unlink()
    with pytest.raises(ci_solve.UsageError, match="run.json beside results"):
        ci_solve.load(tmp_path / "out").properties


def test_tables_are_those_of_pandas():
    result = solve({"dipole": Operator(DIPOLE, np.zeros(3))})
    pytest.importorskip("pandas")
    moments, transitions = result.properties.to_pandas(), result.transitions.to_pandas()
    assert list(moments.columns) == ["dipole_x", "dipole_y", "dipole_z"] and len(moments) == 4
    assert list(transitions.index) == [1, 2, 3]
    assert transitions["energy_ev"].to_numpy() == pytest.approx(27.211386245988 * result.transitions.energies)
