"""NEVPT2 and its densities with vectors found here, against PySCF's own solver and densities."""

from __future__ import annotations

import ci_solve
import numpy as np
import pytest

pytest.importorskip("pyscf")

from ci_solve.pyscf import FCISolver, _nevpt
from pyscf import fci, gto, mcscf, mrpt, scf
from pyscf.fci import cistring
from pyscf.mrpt import nevpt2

SPACES = [(4, (2, 2)), (5, (3, 1)), (5, (2, 4)), (3, (1, 0)), (3, (3, 2)), (1, (1, 1)), (7, (4, 3))]


def vector_of(norb, nelec, parity=0, seed=5):
    shape = tuple(cistring.num_strings(norb, count) for count in nelec)
    x = np.random.default_rng(seed).normal(size=shape)
    x = x + parity * x.T if parity else x
    return x / np.linalg.norm(x)


def integrals_of(norb, seed=6):
    h, g = (np.random.default_rng(seed).normal(size=(norb,) * k) for k in (2, 4))
    g = g + g.transpose(1, 0, 2, 3)
    g = g + g.transpose(0, 1, 3, 2)
    return h + h.T, np.ascontiguousarray(g + g.transpose(2, 3, 0, 1))


def agree(ours, theirs, atol=1e-10):
    return all(a.shape == b.shape and abs(a - b).max() < atol for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("norb, nelec", SPACES)
@pytest.mark.parametrize("reorder", [True, False])
def test_three_particle_densities(norb, nelec, reorder):
    ci = vector_of(norb, nelec)
    expected = fci.direct_spin1.make_rdm123(ci, norb, nelec, reorder=reorder)
    assert agree(FCISolver().make_rdm123(ci, norb, nelec, reorder=reorder), expected)
    assert agree(FCISolver().make_rdm123(ci.ravel(), norb, nelec, reorder=reorder), expected)


@pytest.mark.parametrize("parity", [1, -1])
def test_densities_of_even_and_odd_states(parity):
    ci = vector_of(6, (3, 3), parity)
    assert agree(FCISolver().make_rdm123(ci, 6, 6), fci.direct_spin1.make_rdm123(ci, 6, 6))


@pytest.mark.parametrize("norb, nelec", SPACES)
def test_contractions_of_four_particles(norb, nelec):
    ci = vector_of(norb, nelec)
    _, eri = integrals_of(norb)
    expected = [
        nevpt2._contract4pdm(kernel, eri, ci, norb, nelec)
        for kernel in ("NEVPTkern_cedf_aedf", "NEVPTkern_aedf_ecdf")
    ]
    assert agree(_nevpt.four_particle(ci, eri, norb, nelec, {}), expected)


def test_intermediates_of_nevpt():
    norb, nelec = 4, (3, 2)
    ci = vector_of(norb, nelec)
    h1e, eri = integrals_of(norb)
    h2e = eri.transpose(0, 2, 1, 3)
    names = ("1", "2", "3", "f3ca", "f3ac")
    dms = dict(zip(names, FCISolver().make_rdm123(ci, norb, nelec, reorder=False), strict=False))
    dms |= dict(zip(names[3:], _nevpt.four_particle(ci, eri, norb, nelec, {}), strict=True))
    assert agree([_nevpt.a16(h1e, h2e, dms)], [nevpt2.make_a16(h1e, h2e, dms, ci, norb, nelec)])
    assert agree([_nevpt.a22(h1e, h2e, dms)], [nevpt2.make_a22(h1e, h2e, dms, ci, norb, nelec)])


def energies(field, ncas, nelecas, orbitals, irrep, nroots=1):
    """CASCI and NEVPT2 by PySCF's solver and by ours, in the same orbitals."""
    found = []
    for solver in (fci.solver(field.mol, symm=True), FCISolver(field.mol)):
        mc = mcscf.CASCI(field, ncas, nelecas)
        mc.fcisolver = solver
        mc.fix_spin_(ss=field.mol.spin / 2 * (field.mol.spin / 2 + 1))
        mc.fcisolver.wfnsym, mc.fcisolver.nroots, mc.fcisolver.conv_tol = irrep, nroots, 1e-12
        mc.kernel(orbitals)
        corrections = [mrpt.NEVPT(mc, root=root).kernel() for root in range(nroots)]
        found.append((np.atleast_1d(mc.e_tot), np.array(corrections)))
    return found


# Strongly contracted energies depend on how orbitals of one energy are rotated: irreps settle that.
MOLECULES = {
    "stretched N2": ("N 0 0 -.9; N 0 0 .9", "D2h", 0, 6, 6, "Ag", None),
    "triplet O2": ("O 0 0 -.6; O 0 0 .6", "D2h", 2, 6, 8, "B1g", None),
    "CN radical": ("C 0 0 0; N 0 0 1.17", "C2v", 1, 6, 7, "A1", None),
    "frozen core": ("N 0 0 -.55; N 0 0 .55", "D2h", 0, 6, 6, "Ag", 2),
    "no core": ("Be 0 0 0", "D2h", 0, 5, 4, "Ag", None),
}


@pytest.mark.parametrize("name", MOLECULES)
def test_energies_are_those_of_the_twin(name):
    atom, group, spin, ncas, nelecas, irrep, frozen = MOLECULES[name]
    mol = gto.M(atom=atom, basis="6-31g", symmetry=group, spin=spin, verbose=0)
    field = scf.RHF(mol).run(conv_tol=1e-12)
    mc = mcscf.CASSCF(field, ncas, nelecas)
    mc.fcisolver.wfnsym, mc.frozen = irrep, frozen
    theirs, ours = energies(field, ncas, nelecas, mc.run().mo_coeff, irrep)
    assert theirs[1][0] < -1e-4
    assert ours[0] == pytest.approx(theirs[0], abs=1e-9)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-7)


def test_the_second_state_of_an_average():
    mol = gto.M(atom="H 0 0 0; F 0 0 1.6", basis="6-31g", symmetry="C2v", verbose=0)
    field = scf.RHF(mol).run(conv_tol=1e-12)
    average = mcscf.CASSCF(field, 4, 4)
    average.fcisolver = FCISolver(mol)
    average.fcisolver.wfnsym = "A1"
    average.fix_spin_(ss=0)
    average.state_average_([0.5, 0.5]).run()
    theirs, ours = energies(field, 4, 4, average.mo_coeff, "A1", nroots=2)
    assert abs(theirs[1][0] - theirs[1][1]) > 1e-4
    assert ours[0] == pytest.approx(theirs[0], abs=1e-9)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-7)


def test_memory_that_does_not_suffice_is_refused():
    solver = FCISolver()
    solver.memory = 1 << 20
    with pytest.raises(ci_solve.errors.ResourcesError, match="raise the budget or choose a smaller problem"):
        solver.make_rdm123(vector_of(7, (4, 3)), 7, (4, 3))


def test_another_version_of_pyscf_is_refused():
    with pytest.raises(ci_solve.errors.InternalError, match="expected PySCF 2"):
        FCISolver().nevpt_intermediate("A16", 4, (2, 2), vector_of(4, (2, 2)))


def test_complex_vectors_are_refused():
    with pytest.raises(NotImplementedError, match="expected a real one"):
        FCISolver().make_rdm123(1j * vector_of(4, (2, 2)), 4, 4)
