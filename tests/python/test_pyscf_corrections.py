"""Reference energies, corrections of Davidson's kind and excitation energies, against PySCF's CISD."""

from __future__ import annotations

import math

import ci_solve
import pytest

pytest.importorskip("pyscf")

from ci_solve.pyscf import from_scf
from pyscf import ci, gto, scf

EV = 27.211386245988


@pytest.fixture(scope="module")
def water():
    mol = gto.M(atom="O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587", basis="6-31g", verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-13)


def pople(c0, electrons):
    """The factor as it was published."""
    theta = math.acos(abs(c0))
    root = math.sqrt(electrons**2 + 2 * electrons * math.tan(2 * theta) ** 2)
    return (root - electrons) / (2 * (1 / math.cos(2 * theta) - 1)) - 1


@pytest.mark.parametrize("frozen", [0, 1])
def test_corrections_are_those_of_the_twin(water, frozen):
    twin = ci.CISD(water, frozen=frozen or None)
    twin.conv_tol = 1e-13
    twin.kernel()
    c0 = twin.ci[0] / math.sqrt(ci.cisd.dot(twin.ci, twin.ci, twin.nmo, twin.nocc))
    active = water.mo_coeff.shape[1] - frozen
    electrons = 10 - 2 * frozen
    given = from_scf(water, active, electrons)
    result = ci_solve.solve(**given, request={"space": {"kind": "cisd"}, "solver": {"tolerance": 1e-9}})
    state = result[0]
    assert state["energy"] == pytest.approx(twin.e_tot, abs=1e-8)
    assert state["reference_energy"] == pytest.approx(water.e_tot, abs=1e-8)
    assert state["davidson_q"] == pytest.approx((1 - c0**2) * twin.e_corr, abs=1e-7)
    assert state["renormalised_q"] == pytest.approx((1 - c0**2) / c0**2 * twin.e_corr, abs=1e-7)
    assert state["pople_q"] == pytest.approx(pople(c0, electrons) * twin.e_corr, abs=1e-7)


def test_orbitals_are_named_by_the_twins_energies(water):
    mo = water.mo_coeff[:, [3, 0, 4, 1, 2, 6, 5, *range(7, 13)]]  # another order than that of energies
    result = ci_solve.solve(
        **from_scf(water, 13, 10, mo), request={"space": {"kind": "cis"}, "solver": {"states": 3}}
    )
    frame = result.record["configurations_from"]
    energies = [water.mo_energy[p] for p in range(13)]
    assert frame["energies"] == pytest.approx(energies, abs=1e-6)
    assert frame["names"][3:7] == ["HOMO-1", "HOMO", "LUMO", "LUMO+1"]
    assert frame["orbitals"][:7] == [2, 4, 5, 1, 3, 7, 6]
    assert result.configurations[0][0] == ("reference", pytest.approx(1))
    assert result.configurations[1][0][0] == "HOMO -> LUMO"


def test_excitations_are_in_electron_volts(water):
    result = ci_solve.solve(**from_scf(water, 6, 6), states=3)
    expected = (result.energies - result.energies[0]) * EV
    assert result.excitations_ev == pytest.approx(expected.tolist(), abs=1e-9)
    assert "above 1 (eV)" in str(result) and f"{expected[2]:.6f}" in str(result)
    assert "<th>above 1 (eV)</th>" in result._repr_html_()
    assert "above 1" not in str(ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2))


def test_unpaired_electrons_of_a_stretched_bond():
    mol = gto.M(atom="H 0 0 0; H 0 0 8", basis="sto-3g", verbose=0)
    result = ci_solve.solve(**from_scf(scf.RHF(mol).run()), states=2)
    assert result[0]["unpaired_electrons"]["head_gordon"] == pytest.approx(2, abs=1e-3)
    assert result[0]["unpaired_electrons"]["takatsuka"] == pytest.approx(2, abs=1e-3)
