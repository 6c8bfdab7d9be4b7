"""Transition orbitals, Dyson orbitals, rotated integrals and quadrupoles beside those of PySCF's states."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from pyscf import ao2mo, gto, scf
from pyscf.fci import addons, cistring, direct_spin1, direct_uhf
from pyscf.tools import fcidump

import ci_solve
from ci_solve.pyscf import from_scf
from test_documents import ROOT
from test_pyscf_properties import LEVEL, MOLECULES, WATER, Reference, field

TOLERANCES = pytest.mark.parametrize(("tolerance", "agreement"), [(1e-8, 1e-7), (1e-11, 1e-9)])


def levels_of(energies):
    found = [[0]]
    for j in range(1, len(energies)):
        if energies[j] - energies[j - 1] > LEVEL:
            found.append([])
        found[-1].append(j)
    return found


def transition_density(reference, bra, ket):
    """<bra|a+_p a_q|ket> of both spins over the active orbitals."""
    parts = reference.solver.trans_rdm1s(reference.vectors[bra], reference.vectors[ket], reference.norb, reference.nelec)
    return np.array([part.T for part in parts])


def uncut(reference, states):
    """The most states up to so many that cut no level."""
    while reference.energies[states] - reference.energies[states - 1] < LEVEL:
        states -= 1
    reference.energies = reference.energies[:states]
    return states


@TOLERANCES
@pytest.mark.parametrize("name", MOLECULES)
def test_transition_orbitals_are_those_of_pyscf(name, tolerance, agreement):
    mf, ncas, nelecas, mo = MOLECULES[name]()
    expected = Reference(mf, ncas, nelecas, mo, 8)
    states = uncut(expected, 7)
    request = {"analysis": {"orbitals": "transition"}}
    result = ci_solve.solve(request, **from_scf(mf, ncas, nelecas, mo), states=states, tolerance=tolerance)
    levels = levels_of(expected.energies)
    for level in levels[1:]:
        densities = [transition_density(expected, bra, ket) for bra in levels[0] for ket in level]
        if len(levels) < states:
            found = result.level_orbitals(level[0])
            for weights, orbitals, product in ((found.hole_weights, found.holes, "spr,sqr->spq"),
                                               (found.particle_weights, found.particles, "srp,srq->spq")):
                sums = sum(np.einsum(product, one, one) for one in densities) / len(levels[0])
                again = np.einsum("spk,sk,sqk->spq", orbitals, weights, orbitals)
                assert abs(again - sums).max() < agreement
                assert np.sort(np.linalg.eigvalsh(sums))[:, ::-1] == pytest.approx(weights, abs=agreement)
        if len(level) == len(levels[0]) == 1:
            found = result.transition_orbitals(level[0])
            left, values, right = np.linalg.svd(densities[0])
            assert np.sqrt(found.weights) == pytest.approx(values, abs=agreement)
            again = np.einsum("spk,sk,sqk->spq", found.holes, np.sqrt(found.weights), found.particles)
            assert min(abs(again - densities[0]).max(), abs(again + densities[0]).max()) < agreement
            for spin in (0, 1):
                gaps = -np.diff(values[spin], append=0.0)
                for k in range(len(gaps)):  # orbitals of a value of its own
                    if values[spin, k] > 1e-2 and gaps[k] > 1e-2 and (k == 0 or gaps[k - 1] > 1e-2):
                        pair = np.outer(found.holes[spin][:, k], found.particles[spin][:, k])
                        known = np.outer(left[spin][:, k], right[spin][k])
                        assert min(abs(pair - known).max(), abs(pair + known).max()) < 100 * agreement
            one = result.record["transition_orbitals"]["transitions"][level[0] - 1]["alpha"]
            assert one["participation"] == pytest.approx(found.participation[0])


def states_of(given, electrons, states):
    """Energies and vectors by dense diagonalisation of PySCF's matrix, over given integrals."""
    one, two = given["one_body"], given["two_body"]
    norb = np.shape(one)[-1]
    unrestricted = isinstance(one, tuple)
    solver = direct_uhf if unrestricted else direct_spin1
    shape = [cistring.num_strings(norb, count) for count in electrons]
    place, matrix = solver.pspace(one, two if unrestricted else ao2mo.restore(1, two, norb), norb, electrons,
                                  np=shape[0] * shape[1])
    h = np.empty((shape[0] * shape[1],) * 2)
    h[np.ix_(place, place)] = matrix
    energies, vectors = np.linalg.eigh(h)
    states = min(states, len(energies))
    return energies[:states] + given["core"], [vectors[:, j].reshape(shape) for j in range(states)]


def by_annihilation(fewer, more, norb, electrons, spin):
    """<fewer|a_q|more> of all pairs by PySCF's des_a and des_b."""
    annihilate = addons.des_a if spin == "alpha" else addons.des_b
    return np.array([[[np.vdot(bra, annihilate(ket, norb, electrons, q)) for q in range(norb)] for bra in fewer] for ket in more])


def sums_over_levels(poles, ours, others):
    return np.array([[poles[np.ix_(our, other)].sum() for other in others] for our in ours])


@TOLERANCES
@pytest.mark.parametrize("spin", ["alpha", "beta"])
@pytest.mark.parametrize("name", MOLECULES)
def test_dyson_orbitals_are_those_of_pyscf(name, spin, tolerance, agreement, tmp_path):
    mf, ncas, nelecas, mo = MOLECULES[name]()
    given = from_scf(mf, ncas, nelecas, mo)
    alpha, beta = given["electrons"]
    ion = (alpha - 1, beta) if spin == "alpha" else (alpha, beta - 1)
    counts, found = [], []
    for electrons, states in (((alpha, beta), 3), (ion, 4)):
        energies, vectors = states_of(given, electrons, states + 4)
        states = max(k for k in range(1, states + 1) if k == len(energies) or energies[k] - energies[k - 1] > LEVEL)
        counts.append(states)
        found.append((energies[:states], vectors[:states]))
    (energies, more), (of_ion, fewer) = found
    norb = np.shape(given["one_body"])[-1]
    expected = by_annihilation(fewer, more, norb, (alpha, beta), spin)
    ci_solve.solve(**{**given, "electrons": ion}, states=counts[1], tolerance=tolerance).write(tmp_path / "ion")
    request = {"analysis": {"dyson": str(tmp_path / "ion" / "results.h5")}}
    result = ci_solve.solve(request, **given, states=counts[0], tolerance=tolerance)
    dyson = result.dyson()
    assert dyson.energies == pytest.approx(of_ion[None, :] - energies[:, None], abs=1e-9)
    ours, others = levels_of(energies), levels_of(of_ion)
    poles = sums_over_levels(dyson.pole_strengths, ours, others)
    assert poles == pytest.approx(sums_over_levels((expected**2).sum(axis=-1), ours, others), abs=agreement)
    for our in ours:
        for other in others:
            if len(our) == len(other) == 1:
                orbital, known = dyson.orbitals[our[0], other[0]], expected[our[0], other[0]]
                assert min(abs(orbital - known).max(), abs(orbital + known).max()) < agreement
    record = result.record["dyson"]
    assert record["spin"] == spin and record["process"] == "ionisation"
    result.write(tmp_path / "more")
    assert ci_solve.load(tmp_path / "more").dyson().orbitals == pytest.approx(dyson.orbitals, abs=0)
    back = {"analysis": {"dyson": str(tmp_path / "more" / "results.h5")}}
    again = ci_solve.solve(back, **{**given, "electrons": ion}, states=counts[1], tolerance=tolerance).dyson()
    assert sums_over_levels(again.pole_strengths, others, ours).T == pytest.approx(poles, abs=2 * agreement)


def test_dyson_orbitals_of_other_orbitals_are_refused(tmp_path):
    cation = field(WATER, charge=1, spin=1)
    ci_solve.solve(**from_scf(cation)).write(tmp_path)
    request = {"analysis": {"dyson": str(tmp_path / "results.h5")}}
    with pytest.raises(ci_solve.BadInputError, match="its integrals differ from those of this job; expected a job with"):
        ci_solve.solve(request, **from_scf(field(WATER)))
    with pytest.raises(ci_solve.UsageError, match="expected analysis: {dyson: results.h5 of another job}"):
        ci_solve.solve(**from_scf(field(WATER))).dyson()


@pytest.mark.parametrize("state", [None, 0])
@pytest.mark.parametrize("name", ["water", "lih", "stretched n2", "n2+ radical", "heh+ off the origin"])
def test_full_ci_of_rotated_integrals_is_the_same(name, state, tmp_path):
    mf, ncas, nelecas, mo = MOLECULES[name]()
    given = from_scf(mf, ncas, nelecas, mo)
    states = uncut(Reference(mf, ncas, nelecas, mo, 5), 4)  # means over whole levels
    result = ci_solve.solve(**given, states=states, tolerance=1e-11)
    result.write_natural_fcidump(tmp_path / "a.fcidump", state)
    read = fcidump.read(str(tmp_path / "a.fcidump"), verbose=False)
    integrals = {"one_body": read["H1"], "two_body": read["H2"], "core": read["ECORE"]}
    assert read["NELEC"] == sum(given["electrons"]) and read["MS2"] == given["electrons"][0] - given["electrons"][1]
    energies, vectors = states_of(integrals, given["electrons"], states)
    assert energies == pytest.approx(result.energies, abs=1e-9)
    density = [sum(direct_spin1.make_rdm1s(v, read["NORB"], given["electrons"])) for v in vectors]
    mean = sum(density) / states if state is None else density[0]
    occupations = np.diag(mean)
    assert abs(mean - np.diag(occupations)).max() < 1e-7
    assert (np.diff(occupations) < 1e-7).all()
    rotated = {"problem": {"fcidump": str(tmp_path / "a.fcidump"), "operators": str(tmp_path / "a.operators.h5")}}
    again = ci_solve.solve(rotated, states=states, tolerance=1e-11)
    assert again.energies == pytest.approx(result.energies, abs=1e-9)
    if len(levels_of(result.energies)[0]) == 1:
        assert again.properties["dipole"][0] == pytest.approx(result.properties["dipole"][0], abs=1e-8)


def test_integrals_of_spins_with_orbitals_of_their_own_are_not_rotated(tmp_path):
    mf, *_ = MOLECULES["oh uhf"]()
    with pytest.raises(ci_solve.UsageError, match="alpha and beta electrons have orbitals of their own"):
        ci_solve.solve(**from_scf(mf)).write_natural_fcidump(tmp_path / "a.fcidump")


def quadrupole(mf, density):
    """Second moments of the charge about the centre of nuclear charge."""
    mol = mf.mol
    charges, places = mol.atom_charges(), mol.atom_coords()
    places = places - charges @ places / charges.sum()
    origin = charges @ mol.atom_coords() / charges.sum()
    with mol.with_common_origin(origin):
        second = mol.intor("int1e_rr").reshape(3, 3, mol.nao, mol.nao)
    whole = np.einsum("i,ix,iy->xy", charges, places, places) - np.einsum("xypq,qp->xy", second, density)
    return whole[np.triu_indices(3)]


NAMES = ("dipole", "velocity", "quadrupole", "angular_momentum")


@TOLERANCES
@pytest.mark.parametrize("name", ["water", "oh- anion", "heh+ off the origin", "oh uhf", "n2+ askew"])
def test_quadrupoles_and_angular_momenta_are_those_of_pyscf(name, tolerance, agreement):
    mf, ncas, nelecas, mo = MOLECULES[name]()
    expected = Reference(mf, ncas, nelecas, mo, 5)
    states = uncut(expected, 4)
    given = from_scf(mf, ncas, nelecas, mo, operators=NAMES)
    result = ci_solve.solve(**given, states=states, tolerance=tolerance)
    levels = levels_of(expected.energies)
    with mf.mol.with_common_origin(expected.origin):
        rotation = mf.mol.intor("int1e_cg_irxp")  # <p|r x d/dr|q>
    for level in levels:
        mean = np.mean([quadrupole(mf, expected._density(j, j, True)) for j in level], axis=0)
        assert result.properties["quadrupole"][level].mean(axis=0) == pytest.approx(mean, abs=10 * agreement)
    for level in levels[1:]:
        squares = sum(np.einsum("xpq,qp->x", rotation, expected._density(bra, ket, False)) ** 2
                      for bra in levels[0] for ket in level)
        if len(levels[0]) == 1:
            moments = result.transitions.moments["angular_momentum"][[ket - 1 for ket in level]]
            assert (moments**2).sum(axis=0) == pytest.approx(squares, abs=10 * agreement)
    (told,) = [one for one in result.transitions.operators if one["name"] == "quadrupole"]
    assert told["components"] == ["xx", "xy", "xz", "yy", "yz", "zz"] and told["unit"] == "e a0^2"
    assert told["origin_note"] == "centre of nuclear charge"


def test_an_atom_has_its_angular_momentum():
    """A sum over d/dphi of p orbitals: |<s|r x d/dr|p>| is 0, |<p_x|(r x d/dr)_z|p_y>| is 1."""
    atom = gto.M(atom="B 0 0 0", basis={"B": [[0, [1.0, 1.0]], [1, [1.0, 1.0]]]}, spin=1, verbose=0)
    given = from_scf(scf.ROHF(atom).run(), operators=["angular_momentum"])
    values = np.linalg.eigvalsh(1j * given["operators"]["angular_momentum"].matrices[2])
    assert values == pytest.approx([-1, 0, 0, 1], abs=1e-12)
    with pytest.raises(ci_solve.UsageError, match="operators names 'octupole'; expected some of dipole, velocity, quad"):
        from_scf(scf.ROHF(atom).run(), operators=["octupole"])


@pytest.mark.parametrize("more", [[], ["--uhf", "--spin", "1", "--charge", "1"], ["--uhf", "--spin", "1", "--charge", "1", "--active", "7", "6"]])
def test_the_script_writes_what_the_program_reads(more, tmp_path):
    script = ROOT / "scripts" / "fcidump-of-molecule.py"
    command = [sys.executable, script, WATER, *more, "--also", "quadrupole", "angular_momentum", "-o", "water.fcidump"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    problem = {"fcidump": str(tmp_path / "water.fcidump"), "operators": str(tmp_path / "water.operators.h5")}
    found = ci_solve.solve({"problem": problem}, states=2)
    mf = field(WATER, kind=scf.UHF if more else None, charge=1 if more else 0, spin=1 if more else 0)
    active = (6, 7) if "--active" in more else (None, None)
    expected = ci_solve.solve(**from_scf(mf, *active, operators=NAMES), states=2)
    assert found.energies == pytest.approx(expected.energies, abs=1e-8)
    for name in ("dipole", "quadrupole"):
        assert found.properties[name] == pytest.approx(expected.properties[name], abs=1e-7)
    for name in NAMES:
        squares = [one.transitions.moments[name] ** 2 for one in (found, expected)]
        assert squares[0] == pytest.approx(squares[1], abs=1e-7)
