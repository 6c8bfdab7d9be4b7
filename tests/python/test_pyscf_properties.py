"""Dipoles, transition dipoles and oscillator strengths beside those of PySCF's states and densities."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from pyscf import ao2mo, gto, mcscf, scf
from pyscf.fci import cistring, direct_spin1, direct_uhf

import ci_solve
from ci_solve.pyscf import from_casscf, from_scf
from test_documents import ROOT, blocks

WATER = "O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469"
LEVEL = 1e-6  # states nearer than this share an energy


def field(atom, basis="sto-3g", kind=None, **more):
    mol = gto.M(atom=atom, basis=basis, verbose=0, **more)
    mf = (kind or (scf.ROHF if mol.spin else scf.RHF))(mol)
    mf.conv_tol = 1e-12
    return mf.run()


def whole(mf):
    return mf, None, None, None


# Each: a field, and the active space with its orbitals.
MOLECULES = {
    "water": lambda: (field(WATER, symmetry=True), 5, 6, None),
    "lih": lambda: whole(field("Li 0 0 0; H 0 0 1.6", symmetry="C2v")),
    "n2+ radical": lambda: (field("N 0 0 0; N 0 0 1.12", charge=1, spin=1), 6, 5, None),
    "o2 triplet": lambda: (field("O 0 0 0; O 0 0 1.21", spin=2), 6, (5, 3), None),
    "oh- anion": lambda: (field("O 0 0 0; H 0 0 0.97", basis="6-31g", charge=-1), 7, 8, None),
    "stretched n2": lambda: (field("N 0 0 0; N 0 0 1.8"), 6, 6, None),
    "n2+ askew": lambda: (field("N 0 0 0; N 0.65 0.7 0.6", charge=1, spin=1), 6, 5, None),
    "heh+ off the origin": lambda: whole(field("He 1 2 3; H 1 2.5 3.4", basis="6-31g", charge=1)),
    "formaldehyde": lambda: (field("C 0 0 0; O 0 0 1.2; H 0 0.94 -0.59; H 0 -0.94 -0.59"), 4, 6, None),
    "oh uhf": lambda: (field("O 0 0 0; H 0 0 0.97", kind=scf.UHF, spin=1), None, None, None),
}


class Reference:
    """States by dense diagonalisation, and their moments by densities over atomic orbitals."""

    def __init__(self, mf, ncas, nelecas, mo, states):
        self.mol, self.orbitals = mf.mol, mf.mo_coeff if mo is None else mo
        self.unrestricted = isinstance(mf, scf.uhf.UHF)
        given = from_scf(mf, ncas, nelecas, mo)
        self.norb = np.shape(given["one_body"])[-1]
        self.nelec = given["electrons"]
        casci = (mcscf.UCASCI if self.unrestricted else mcscf.CASCI)(mf, self.norb, self.nelec)
        self.ncore = casci.ncore if self.unrestricted else (casci.ncore, casci.ncore)
        one, two = given["one_body"], given["two_body"]
        size = cistring.num_strings(self.norb, self.nelec[0]) * cistring.num_strings(self.norb, self.nelec[1])
        self.solver = direct_uhf if self.unrestricted else direct_spin1
        if not self.unrestricted:
            two = ao2mo.restore(1, two, self.norb)
        place, matrix = self.solver.pspace(one, two, self.norb, self.nelec, np=size)
        h = np.empty((size, size))
        h[np.ix_(place, place)] = matrix
        energies, vectors = np.linalg.eigh(h)
        self.energies = energies[:states] + given["core"]
        shape = [cistring.num_strings(self.norb, count) for count in self.nelec]
        self.vectors = [vectors[:, j].reshape(shape) for j in range(states)]
        charges = self.mol.atom_charges()
        self.origin = charges @ self.mol.atom_coords() / charges.sum()
        with self.mol.with_common_origin(self.origin):
            self.position = self.mol.intor("int1e_r")
        self.gradient = self.mol.intor("int1e_ipovlp")  # <d/dr p|q>
        self.nuclei = charges @ (self.mol.atom_coords() - self.origin)

    def _spatial(self, spin):
        return self.orbitals[spin] if self.unrestricted else self.orbitals

    def _density(self, bra, ket, with_core):
        """gamma[q, p] = <bra|a+_p a_q|ket> over atomic orbitals, both spins together."""
        parts = self.solver.trans_rdm1s(self.vectors[bra], self.vectors[ket], self.norb, self.nelec)
        found = 0
        for spin, part in enumerate(parts):
            core = self.ncore[spin]
            mine = self._spatial(spin)[:, core : core + self.norb]
            found = found + mine @ part @ mine.T
            if with_core:
                found = found + self._spatial(spin)[:, :core] @ self._spatial(spin)[:, :core].T
        return found

    def dipole(self, state):
        return self.nuclei - np.einsum("xpq,qp->x", self.position, self._density(state, state, True))

    def transition(self, bra, ket):
        density = self._density(bra, ket, False)
        return -np.einsum("xpq,qp->x", self.position, density), -np.einsum("xpq,qp->x", self.gradient, density)

    def strengths(self, bra, ket):
        energy = self.energies[ket] - self.energies[bra]
        length, velocity = self.transition(bra, ket)
        return 2 / 3 * energy * length @ length, 2 / 3 / energy * velocity @ velocity

    def levels(self):
        found = [[0]]
        for j in range(1, len(self.energies)):
            if self.energies[j] - self.energies[j - 1] > LEVEL:
                found.append([])
            found[-1].append(j)
        return found


def same_up_to_sign(found, expected, tolerance):
    return min(abs(found - expected).max(), abs(found + expected).max()) < tolerance


@pytest.mark.parametrize(("tolerance", "agreement"), [(1e-8, 1e-7), (1e-11, 1e-9)])
@pytest.mark.parametrize("name", MOLECULES)
def test_moments_are_those_of_pyscf(name, tolerance, agreement):
    mf, ncas, nelecas, mo = MOLECULES[name]()
    states = 7
    expected = Reference(mf, ncas, nelecas, mo, states + 1)
    while expected.energies[states] - expected.energies[states - 1] < LEVEL:  # no level is cut
        states -= 1
    result = ci_solve.solve(**from_scf(mf, ncas, nelecas, mo), states=states, tolerance=tolerance)
    expected.energies = expected.energies[:states]
    assert result.energies == pytest.approx(expected.energies, abs=1e-9)
    assert result.properties.charge == pytest.approx(mf.mol.charge)
    dipoles, transitions = result.properties["dipole"], result.transitions
    levels = expected.levels()
    for level in levels:
        mean = np.mean([expected.dipole(j) for j in level], axis=0)
        assert abs(dipoles[level].mean(axis=0) - mean).max() < agreement
    for level in levels[1:]:
        if len(level) == len(levels[0]) == 1:
            (ket,) = level
            length, velocity = expected.transition(0, ket)
            assert same_up_to_sign(transitions.dipole[ket - 1], length, agreement)
            assert same_up_to_sign(transitions.moments["velocity"][ket - 1], velocity, agreement)
            both = transitions.dipole[ket - 1], transitions.moments["velocity"][ket - 1]
            assert np.outer(*both) == pytest.approx(np.outer(length, velocity), abs=agreement)
            found = transitions.oscillator_strengths[ket - 1], transitions.oscillator_strengths_velocity[ket - 1]
            assert found == pytest.approx(expected.strengths(0, ket), abs=agreement)
    if any(len(level) > 1 for level in levels):
        assert [one["states"] for one in transitions.levels] == [[j + 1 for j in level] for level in levels]
        for told, level in zip(transitions.levels[1:], levels[1:]):
            pairs = [expected.strengths(bra, ket) for bra in levels[0] for ket in level]
            found = told["oscillator_strength"], told["oscillator_strength_velocity"]
            assert found == pytest.approx(np.sum(pairs, axis=0) / len(levels[0]), abs=agreement)
    else:
        assert transitions.levels == []


def test_frozen_and_inactive_orbitals_are_accounted_for_alike():
    water = field(WATER, basis="6-31g")
    inactive = ci_solve.solve(**from_scf(water, 7, 8), states=3)
    frozen = ci_solve.solve({"space": {"frozen": 1, "active": 7}}, **from_scf(water), states=3)
    assert frozen.energies == pytest.approx(inactive.energies, abs=1e-9)
    assert frozen.properties["dipole"] == pytest.approx(inactive.properties["dipole"], abs=1e-7)
    assert frozen.transitions.oscillator_strengths == pytest.approx(inactive.transitions.oscillator_strengths, abs=1e-7)
    expected = mcscf.CASCI(water, 7, 8)
    expected.fcisolver.conv_tol = 1e-13
    expected.run()
    moment = water.dip_moment(water.mol, expected.make_rdm1(), unit="AU", verbose=0)
    assert inactive.properties["dipole"][0] == pytest.approx(moment, abs=1e-5)  # as exact as PySCF's vectors


def test_a_self_consistent_field_of_one_determinant_has_its_dipole():
    water = field(WATER, basis="6-31g")
    result = ci_solve.solve({"space": {"kind": "cis", "level": 1}}, **from_scf(water))
    assert result.properties["dipole"][0] == pytest.approx(water.dip_moment(unit="AU", verbose=0), abs=1e-7)


def test_casscf_objects_bring_their_active_space():
    case = mcscf.CASSCF(field("C 0 0 0.667; C 0 0 -0.667; H 0 0.92 1.23; H 0 -0.92 1.23; H 0 0.92 -1.23; H 0 -0.92 -1.23"),
                        2, 2).run()
    result = ci_solve.solve(**from_casscf(case), states=3)
    assert result.energies[0] == pytest.approx(case.e_tot, abs=1e-8)
    expected = Reference(case._scf, 2, 2, case.mo_coeff, 3)
    assert result.transitions.oscillator_strengths[1] == pytest.approx(expected.strengths(0, 2)[0], abs=1e-7)
    with pytest.raises(ci_solve.UsageError, match="of the type RHF; expected CASCI or CASSCF"):
        from_casscf(case._scf)


def test_a_state_of_an_ion_says_where_its_origin_is():
    ion = field("He 1 2 3; H 1 2.5 3.4", basis="6-31g", charge=1)
    result = ci_solve.solve(**from_scf(ion))
    (dipole,) = result.properties.operators
    charges = ion.mol.atom_charges()
    assert dipole["origin"] == pytest.approx(charges @ ion.mol.atom_coords() / charges.sum())
    assert dipole["origin_note"] == "centre of nuclear charge" and result.properties.charge == pytest.approx(1)
    assert result.record["states"][0]["dipole"] == result.properties["dipole"][0].tolist()


def test_a_model_without_atoms_brings_no_operators():
    mol = gto.M(verbose=0)
    mol.nelectron = 4
    mol.incore_anyway = True
    model = scf.RHF(mol)
    model.get_hcore = lambda *_: -np.eye(4, k=1) - np.eye(4, k=-1)
    model.get_ovlp = lambda *_: np.eye(4)
    model._eri = ao2mo.restore(8, np.zeros((4,) * 4), 4)
    model.run()
    given = from_scf(model)
    assert "operators" not in given
    with pytest.raises(ci_solve.UsageError, match="no properties were computed; expected operators="):
        ci_solve.solve(**given).properties


def test_the_examples_of_the_page_run():
    names = {}
    for block in blocks("docs/properties.md"):
        exec(block, names)
    assert names["result"].properties["where"].shape == (3, 1)


def test_the_script_writes_operators_that_the_program_reads(tmp_path):
    script = ROOT / "scripts" / "fcidump-of-molecule.py"
    command = [sys.executable, script, WATER, "--basis", "6-31g", "--symmetry", "auto", "--active", "8", "7", "-o", "water.fcidump"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "wrote water.fcidump and water.operators.h5" in done.stdout
    problem = {"fcidump": str(tmp_path / "water.fcidump"), "operators": str(tmp_path / "water.operators.h5")}
    found = ci_solve.solve({"problem": problem}, states=4)
    expected = ci_solve.solve(**from_scf(field(WATER, basis="6-31g"), 7, 8), states=4)
    assert found.energies == pytest.approx(expected.energies, abs=1e-8)
    assert found.properties["dipole"] == pytest.approx(expected.properties["dipole"], abs=1e-7)
    for strengths in ("oscillator_strengths", "oscillator_strengths_velocity"):
        assert getattr(found.transitions, strengths) == pytest.approx(getattr(expected.transitions, strengths), abs=1e-7)
    for arguments, words in ((["O 0 0 0; H 0 0 1"], "no such molecule"), ([WATER, "--active", "20", "2"], "--active 20 2")):
        refused = subprocess.run([sys.executable, script, *arguments, "-o", "x"], cwd=tmp_path, capture_output=True, text=True,
                                 check=False)
        assert refused.returncode == 1 and words in refused.stderr and "Traceback" not in refused.stderr
