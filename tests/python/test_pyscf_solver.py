"""The solver in PySCF's slot, against PySCF's own: states, symmetry, spins."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("pyscf")

from ci_solve import BadInputError, UsageError, solve
from ci_solve.pyscf import FCISolver, _linear, from_chkfile, from_scf
from pyscf import ao2mo, fci, gto, lib, mcscf, scf, symm
from pyscf.lib.exceptions import PointGroupSymmetryError


@pytest.fixture(scope="module")
def nitrogen():
    mol = gto.M(atom="N 0 0 0; N 0 0 1.2", basis="sto-3g", verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def water():
    mol = gto.M(atom="O 0 0 0; H 0 -2 1; H 0 2 1", basis="6-31g", symmetry=True, verbose=0)
    return scf.RHF(mol).run(conv_tol=1e-12)


def random_problem(norb, seed=3):
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(norb, norb))
    pairs = norb * (norb + 1) // 2
    g = 0.3 * rng.normal(size=(pairs, pairs))
    return h + h.T, g + g.T


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((6, 5), "nelecas is 5, and the molecule has 14 electrons; expected an even number"),
        ((6, (3, 2)), "expected an even number up to that"),
        ((6, 16), "expected an even number up to that"),
        ((11, 6), "ncas is 11; expected 1 to 10"),
        ((2, (4, 2)), "4 alpha and 2 beta electrons; expected 0 to 2 of each"),
        ((6, "six"), "nelecas is 'six'"),
        ((6,), "ncas is given without electrons"),
        ((6, 0), "7 doubly occupied and 6 active orbitals; expected at most 10"),
    ],
)
def test_active_spaces_that_cannot_be_are_refused(nitrogen, arguments, words):
    with pytest.raises(UsageError, match=words):
        from_scf(nitrogen, *arguments)


def test_what_has_no_orbitals_of_a_field_is_refused(nitrogen):
    with pytest.raises(UsageError, match=r"the RHF object has no orbitals yet; expected mf.run\(\)"):
        from_scf(scf.RHF(nitrogen.mol), 6, 6)
    casscf = mcscf.CASSCF(nitrogen, 6, 6).run()
    with pytest.raises(UsageError, match=r"a CASSCF object was given; expected .*from_scf\(mc._scf, mc.ncas"):
        from_scf(casscf)
    given = from_scf(casscf._scf, casscf.ncas, casscf.nelecas, casscf.mo_coeff)
    assert solve(**given).energies[0] == pytest.approx(casscf.e_tot, abs=1e-7)
    with pytest.raises(UsageError, match="an object of the type GHF"):
        from_scf(scf.GHF(nitrogen.mol))


def test_integrals_that_are_not_symmetric_are_refused():
    for place, name in enumerate(["h1e", "eri"]):
        given = random_problem(4)
        energy = FCISolver().kernel(*given, 4, (2, 2))[0]
        given[place][0, 2] += 1e-13
        assert abs(FCISolver().kernel(*given, 4, (2, 2))[0] - energy) < 1e-10
        given[place][0, 2] += 1e-3
        with pytest.raises(BadInputError, match=f"{name} is not symmetric: elements and .* 1.0e-03"):
            FCISolver().kernel(*given, 4, (2, 2))


@pytest.mark.parametrize("fold", ["1", "4", "8"])
@pytest.mark.parametrize("nelec", [(2, 2), (3, 1), (1, 0), (4, 4)])
def test_states_are_those_of_pyscf(nelec, fold):
    h, g = random_problem(4)
    eri = ao2mo.restore(fold, g, 4)
    ours, theirs = FCISolver(), fci.direct_spin1.FCISolver()
    energy, ci = ours.kernel(h, eri, 4, nelec, ecore=0.25)
    expected, vector = theirs.kernel(h, eri, 4, nelec, ecore=0.25)
    assert energy == pytest.approx(expected, abs=1e-9)
    assert abs(np.vdot(ci, vector)) == pytest.approx(1, abs=1e-8)
    assert ours.converged is True and ci.shape == vector.shape
    assert ours.eci == ours.e_tot == energy and ours.ci is ci
    assert ours.used_backend == "openmp"  # few determinants, wherever there may be a device


def test_several_states_come_as_lists():
    h, g = random_problem(5)
    energies, vectors = FCISolver().kernel(h, g, 5, (3, 2), nroots=4)
    expected, _ = fci.direct_spin1.FCISolver().kernel(h, g, 5, (3, 2), nroots=4)
    assert np.allclose(energies, expected, atol=1e-9)
    assert isinstance(vectors, list) and [v.shape for v in vectors] == [(10, 10)] * 4
    assert all(vector.flat[np.abs(vector).argmax()] > 0 for vector in vectors)
    too_many, _ = FCISolver().kernel(h, g, 5, (5, 4), nroots=9)
    assert len(too_many) == 5


def test_start_vectors_are_heeded():
    h, g = random_problem(6)
    solver = FCISolver()
    _, (first, second) = solver.kernel(h, g, 6, 6, nroots=2)
    energy, again = solver.kernel(h, g, 6, 6, ci0=-first)
    assert np.vdot(again, first) == pytest.approx(-1, abs=1e-8)
    energies, pair = solver.kernel(h, g, 6, 6, ci0=lambda: [second.ravel(), first], nroots=2)
    assert abs(np.vdot(pair[0], first)) == pytest.approx(1, abs=1e-8)
    assert energies[0] == pytest.approx(energy, abs=1e-10)


def test_a_solution_that_was_cut_short_says_so():
    h, g = random_problem(8)
    solver = FCISolver()
    solver.max_cycle = 1
    solver.kernel(h, g, 8, 8, ci0=np.random.default_rng(1).normal(size=(70, 70)))
    assert solver.converged is False


def test_many_states_of_a_hard_spectrum_converge_by_default():
    sites = 8
    hops = np.zeros((sites, sites))
    for i in range(sites):
        hops[i, (i + 1) % sites] = hops[(i + 1) % sites, i] = -1
    repulsion = np.zeros((sites,) * 4)
    for i in range(sites):
        repulsion[i, i, i, i] = 8
    solver = FCISolver()
    energies, _ = solver.kernel(hops, repulsion, sites, sites, nroots=10)
    assert np.all(solver.converged)
    assert energies[9] == pytest.approx(-1.79609588, abs=1e-7)


def test_an_approximate_solution_leaves_the_exact_one():
    h, g = random_problem(6)
    solver = FCISolver()
    energy, ci = solver.kernel(h, g, 6, 6)
    moved = h + 1e-3 * np.diag(np.arange(6))
    near, _ = solver.approx_kernel(moved, g, 6, 6, ci0=ci)
    assert near == pytest.approx(FCISolver().kernel(moved, g, 6, 6)[0], abs=1e-7)
    assert solver.eci == energy and solver.ci is ci and solver.converged


@pytest.mark.parametrize("ss, spin", [(None, 0), (0, 0), (2, 1), (1.7, 1), (6, 2), (90, 3)])
def test_fix_spin_is_a_target_and_no_penalty(nitrogen, ss, spin):
    h, g = mcscf.CASCI(nitrogen, 6, 6).h1e_for_cas()[0], ao2mo.kernel(nitrogen.mol, nitrogen.mo_coeff[:, 4:])
    solver = fci.addons.fix_spin(FCISolver(nitrogen.mol), shift=1e-3, ss=ss)
    energy, ci = solver.kernel(h, g, 6, 6)
    square, multiplicity = solver.spin_square(ci, 6, 6)
    assert square == pytest.approx(spin * (spin + 1), abs=1e-8)
    assert multiplicity == pytest.approx(2 * spin + 1, abs=1e-8)
    highest, _ = fci.direct_spin1.FCISolver().kernel(h, g, 6, (3 + spin, 3 - spin))
    assert energy >= highest - 1e-9
    if spin in (2, 3):
        assert energy == pytest.approx(highest, abs=1e-8)
    solver.ss_penalty = 0
    lowest, _ = fci.direct_spin1.FCISolver().kernel(h, g, 6, 6)
    assert solver.kernel(h, g, 6, 6)[0] == pytest.approx(lowest, abs=1e-8)
    assert "ss_value" not in vars(solver.undo_fix_spin())


@pytest.mark.parametrize("alone", [False, True])
def test_even_spins_are_those_of_direct_spin0(alone):
    h, g = random_problem(4)
    solver = FCISolver()
    solver.even_spins, solver.davidson_only = True, alone
    energies, vectors = solver.kernel(h, g, 4, 4, nroots=21)  # all: 20 of S = 0 and one of S = 2
    singlets, _ = fci.addons.fix_spin(FCISolver(), ss=0).kernel(h, g, 4, 4, nroots=20)
    quintet, _ = fci.direct_spin1.FCISolver().kernel(h, g, 4, (4, 0))
    assert np.allclose(energies, np.sort([*singlets, quintet]), atol=1e-8)
    assert np.all(solver.converged)
    h, g = random_problem(7)
    energies, vectors = solver.kernel(h, g, 7, 6, nroots=5)
    expected = fci.direct_spin0.FCISolver()
    expected.nroots = 5
    assert np.allclose(energies, expected.kernel(h, g, 7, 6)[0], atol=1e-8)
    assert all(np.allclose(x, x.T, atol=1e-12) for x in vectors)
    again, near = solver.kernel(h, g, 7, 6, ci0=vectors[1])
    assert again == pytest.approx(energies[1], abs=1e-9)
    assert abs(np.vdot(near, vectors[1])) == pytest.approx(1, abs=1e-8)


def test_even_spins_of_one_irrep(water):
    ours, theirs = mcscf.CASCI(water, 6, 6), mcscf.CASCI(water, 6, 6)
    ours.fcisolver = FCISolver(water.mol)
    ours.fcisolver.even_spins = True
    theirs.fcisolver = fci.direct_spin0_symm.FCISolver(water.mol)
    for each in (ours, theirs):
        each.wfnsym = "B1"
        each.fcisolver.nroots = 3
        each.kernel()
    assert np.allclose(ours.e_tot, theirs.e_tot, atol=1e-8)
    with pytest.raises(ValueError, match="as many alpha as beta"):
        ours.fcisolver.kernel(*random_problem(4), 4, (3, 1))


def test_a_solver_survives_new_classes_copies_and_pickles():
    h, g = random_problem(4)
    solver = FCISolver()
    energy, ci = solver.kernel(h, g, 4, 4)
    absorbed = solver.absorb_h1e(h, g, 4, 4, 0.5)
    product = solver.contract_2e(absorbed, ci, 4, 4)
    mixed = fci.addons.fix_spin(solver.copy(), ss=0)
    for other in (copy.copy(solver), copy.deepcopy(solver), pickle.loads(pickle.dumps(solver)), mixed):
        assert other.nroots == 1 and isinstance(other, FCISolver)
        assert np.allclose(FCISolver.contract_2e(other, absorbed, ci, 4, 4), product)
    assert solver.kernel(h, g, 4, 4)[0] == pytest.approx(energy, abs=1e-10)


@pytest.mark.parametrize("irrep", ["A1", "A2", "B1", "B2"])
def test_irreps_are_those_of_pyscf(water, irrep):
    ours, theirs = mcscf.CASCI(water, 6, 6), mcscf.CASCI(water, 6, 6)
    ours.fcisolver = FCISolver(water.mol)
    for each in (ours, theirs):
        each.wfnsym = irrep
        each.fcisolver.nroots = 3
        each.kernel()
    assert np.allclose(ours.e_tot, theirs.e_tot, atol=1e-8)
    number = symm.irrep_name2id("C2v", irrep)
    assert all(ours.fcisolver.guess_wfnsym(6, 6, ci) == number for ci in ours.ci)
    assert np.all(ours.fcisolver.converged)


def test_momenta_of_a_linear_molecule_are_told_apart():
    mol = gto.M(atom="N 0 0 0; N 0 0 1.4", basis="6-31g", symmetry=True, verbose=0)
    field = scf.RHF(mol).run()
    found = {}
    for irrep in ("A1u", "E2ux", "E2uy", "A2u"):
        case = mcscf.CASCI(field, 4, 4)
        case.fcisolver = FCISolver(mol)
        case.wfnsym = irrep
        found[irrep] = case.kernel()[0]
        expected = mcscf.CASCI(field, 4, 4)
        expected.wfnsym = irrep
        assert found[irrep] == pytest.approx(expected.kernel()[0], abs=1e-7)
    assert found["E2ux"] == pytest.approx(found["E2uy"], abs=1e-9)
    assert abs(found["E2ux"] - found["A1u"]) > 1e-3
    h, g = random_problem(2)
    alone = lib.tag_array(np.array([0, 3]), degen_mapping=[0, 2])
    with pytest.raises(PointGroupSymmetryError, match="partners"):
        FCISolver(mol).kernel(h, g, 2, 2, orbsym=alone)


def test_momenta_are_told_whatever_the_states_beside_them():
    mol = gto.M(atom="C 0 0 0; C 0 0 1.5", basis="6-31g", symmetry=True, verbose=0)
    field = scf.RHF(mol).run()
    counts = {"A1g": 2, "A1u": 2, "E1gx": 1, "E1gy": 1, "E1ux": 1, "E1uy": 1}
    case = mcscf.CASCI(field, 8, 4)
    orbitals = mcscf.sort_mo_by_irrep(case, field.mo_coeff, counts)
    case.fcisolver = FCISolver(mol)
    case.fcisolver.wfnsym, case.fcisolver.nroots = "A1g", 4
    case.kernel(orbitals)  # of 112 determinants, among which are those of |L_z| = 2 and 4
    assert np.all(case.fcisolver.converged)
    turning = _linear.Turning(case.fcisolver.orbsym, 8, (2, 2))
    assert np.allclose(turning.squares(case.ci), 0, atol=1e-6)
    assert case.e_cas[0] == pytest.approx(-4.205889578, abs=1e-8)
    spins = [case.fcisolver.spin_square(ci, 8, 4)[0] for ci in case.ci]
    assert np.allclose(spins, np.round(spins), atol=1e-6)


def test_a_state_that_has_not_converged_may_have_no_momentum():
    squares, converged = np.array([0, 3.2, 4.0]), np.array([True, False, True])
    assert _linear.of_momentum(squares, 0, converged).tolist() == [True, False, False]
    assert _linear.of_momentum(squares, 2, converged).tolist() == [False, False, True]
    assert _linear.of_momentum(squares, 2, np.ones(3, bool)) is None


def test_an_irrep_without_determinants_is_refused_as_pyscf_does():
    h, g = random_problem(2)
    for kind in (RuntimeError, ValueError):
        with pytest.raises(kind, match="no determinant of irrep"):
            FCISolver().kernel(h, g, 2, (2, 2), orbsym=[0, 1], wfnsym=1)


def test_unrestricted_integrals(water):
    mol = gto.M(atom="O 0 0 0; O 0 0 1.3", basis="6-31g", spin=2, verbose=0)
    field = scf.UHF(mol).run()
    ours, theirs = mcscf.UCASCI(field, 5, (4, 2)), mcscf.UCASCI(field, 5, (4, 2))
    ours.fcisolver = FCISolver(mol)
    assert ours.kernel()[0] == pytest.approx(theirs.kernel()[0], abs=1e-9)
    ours, theirs = mcscf.UCASSCF(field, 5, (4, 2)), mcscf.UCASSCF(field, 5, (4, 2))
    ours.fcisolver = FCISolver(mol)
    found = ours.kernel()[0]
    assert ours.converged
    # There are several minima, and rounding decides which is met: where one went, the other stays.
    assert found == pytest.approx(theirs.kernel(ours.mo_coeff)[0], abs=1e-7)


def test_unrestricted_orbitals_bring_their_irreps_where_both_spins_have_the_same():
    import ci_solve

    mol = gto.M(atom="O 0 0 0; O 0 0 1.3", basis="6-31g", spin=2, symmetry="D2h", verbose=0)
    field = scf.UHF(mol).run()
    alpha, beta = (scf.hf_symm.get_orbsym(mol, part) for part in field.mo_coeff)
    assert "orbital_irreps" not in from_scf(field, 6, (5, 3))  # they are in another order
    taken: list[int] = []  # the beta orbitals in the order of alpha's irreps
    for irrep in alpha:
        taken.append(next(p for p, other in enumerate(beta) if other == irrep and p not in taken))
    orbitals = np.array([field.mo_coeff[0], field.mo_coeff[1][:, taken]])
    given = from_scf(field, 6, (5, 3), orbitals)
    assert given["orbital_irreps"] == list(alpha[4:10]) and given["point_group"] == "D2h"
    result = ci_solve.solve(**given)
    assert result.irrep_names[0] == "B1g"
    theirs = mcscf.UCASCI(field, 6, (5, 3)).kernel(orbitals)[0]
    assert result.energies[0] == pytest.approx(theirs, abs=1e-8)
    plain = {key: given[key] for key in ("one_body", "two_body", "core", "electrons")}
    assert ci_solve.solve(**plain).energies == pytest.approx(result.energies, abs=1e-9)


def test_integrals_that_symmetry_forbids_are_told(capsys):
    h, g = random_problem(4)
    solver = FCISolver()
    solver.kernel(h, g, 4, 4, orbsym=[0, 0, 1, 1], wfnsym=0)
    assert "orbsym forbids" in "".join(capsys.readouterr())
    with pytest.raises(NotImplementedError, match="real"):
        solver.kernel(h + 0j, g, 4, 4)


def test_an_active_space_becomes_a_request(water, tmp_path):
    import ci_solve

    case = mcscf.CASSCF(water, 4, 4)
    case.chkfile = str(tmp_path / "water.chk")
    case.kernel()
    given = from_scf(water, 4, 4, case.mo_coeff)
    orbsym = scf.hf_symm.get_orbsym(water.mol, case.mo_coeff)
    assert given["orbital_irreps"] == list(orbsym[3:7])
    assert given["orbital_symmetries"] == "pyscf" and given["point_group"] == "C2v"
    assert ci_solve.solve(**given, irrep=1).energies[0] == pytest.approx(case.e_tot, abs=1e-8)
    kept = from_chkfile(case.chkfile)
    assert kept["electrons"] == (2, 2)
    assert ci_solve.solve(**kept).energies[0] == pytest.approx(case.e_tot, abs=1e-8)
    everything = from_scf(scf.RHF(gto.M(atom="H 0 0 0; H 0 0 1", verbose=0)).run())
    assert everything["electrons"] == (1, 1) and len(everything["one_body"]) == 2
    with pytest.raises(ValueError, match="nelecas"):
        from_scf(water, 4)
