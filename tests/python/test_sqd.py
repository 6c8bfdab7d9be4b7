"""The lowest state over products of strings, in qiskit-addon-sqd's slot, against PySCF and dense twins."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import ci_solve
import numpy as np
import pytest
import twin
from ci_solve import sqd

SPACES = [(5, (3, 2), 6, 5), (5, (2, 2), 7, 7), (6, (3, 1), 9, 4), (4, (2, 2), 1, 3), (4, (1, 0), 3, 1)]


def problem(norb, nelec, alphas, betas, seed=3):
    rng = np.random.default_rng(seed)
    h, g = twin.random_one_body(rng, norb), twin.random_two_body(rng, norb, True)
    every = [rng.permutation(twin.strings(norb, count)) for count in nelec]
    return h, g, [np.sort(every[0][:alphas]), np.sort(every[1][:betas])], rng


def over(h, g, norb, nelec, chosen):
    """The block of the twin's full CI matrix over pairs of strings, alpha first."""
    place = [np.searchsorted(twin.strings(norb, n), one) for n, one in zip(nelec, chosen)]
    rows = (place[0][:, None] * len(twin.strings(norb, nelec[1])) + place[1]).ravel()
    return twin.hamiltonian([h, h], [g, g, g], nelec, 0.0)[np.ix_(rows, rows)]


def strings_of(found):
    return found.sci_state.ci_strs_a, found.sci_state.ci_strs_b


def agree_with_pyscf(found, h, g, norb, nelec, chosen, within=1e-6):
    from pyscf.fci import selected_ci

    solver = selected_ci.SelectedCI()
    exactly = {"tol": 1e-14, "max_cycle": 500}
    energy, vector = selected_ci.kernel_fixed_space(solver, h, g, norb, nelec, chosen, **exactly)
    assert abs(found.energy - energy) < 1e-9
    assert all(map(np.array_equal, strings_of(found), chosen))
    amplitudes = found.sci_state.amplitudes
    assert amplitudes.shape == vector.shape
    sign = np.sign(np.vdot(amplitudes, vector))
    assert np.allclose(sign * amplitudes, vector, atol=within)
    alpha, beta = solver.make_rdm1s(vector, norb, nelec)
    assert np.allclose(found.orbital_occupancies, [alpha.diagonal(), beta.diagonal()], atol=within)
    assert np.allclose(found.rdm1, solver.make_rdm1(vector, norb, nelec), atol=within)
    assert np.allclose(found.rdm2, solver.make_rdm2(vector, norb, nelec), atol=within)


@pytest.mark.parametrize("norb, nelec, alphas, betas", SPACES)
def test_it_is_the_lowest_state_of_the_twin(norb, nelec, alphas, betas):
    h, g, chosen, _ = problem(norb, nelec, alphas, betas)
    dense = over(h, g, norb, nelec, chosen)
    found = sqd.solve_sci(chosen, h, g, norb, nelec)
    assert abs(found.energy - np.linalg.eigvalsh(dense)[0]) < 1e-9
    x = found.sci_state.amplitudes.ravel()
    assert np.allclose(dense @ x, found.energy * x, atol=1e-6) and abs(x @ x - 1) < 1e-9
    again = np.sum(found.rdm1 * h) + 0.5 * np.sum(found.rdm2 * g)
    assert abs(again - found.energy) < 1e-9
    assert np.allclose([one.sum() for one in found.orbital_occupancies], nelec)


@pytest.mark.parametrize("norb, nelec, alphas, betas", SPACES[:4])
def test_it_is_the_state_of_pyscf(norb, nelec, alphas, betas):
    pytest.importorskip("pyscf")
    h, g, chosen, _ = problem(norb, nelec, alphas, betas)
    agree_with_pyscf(sqd.solve_sci(chosen, h, g, norb, nelec), h, g, norb, nelec, chosen)


def test_strings_of_a_molecule_in_a_batch_of_three():
    pytest.importorskip("pyscf")
    from pyscf import ao2mo, gto, scf

    mol = gto.M(atom="O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587", basis="sto-3g", verbose=0)
    field = scf.RHF(mol).run(conv_tol=1e-12)
    norb, nelec = 7, (5, 5)
    h = field.mo_coeff.T @ field.get_hcore() @ field.mo_coeff
    g = ao2mo.restore(1, ao2mo.kernel(mol, field.mo_coeff), norb)
    rng = np.random.default_rng(2)
    every = np.array(twin.strings(norb, 5))
    sizes = [(8, 6), (5, 12), (15, 15)]  # beside the string of the lowest determinant
    pairs = [[np.union1d([31], rng.permutation(every)[:k]) for k in both] for both in sizes]
    results = sqd.solve_sci_batch(pairs, h, g, norb, nelec, tolerance=1e-9)
    assert len(results) == 3
    for found, chosen in zip(results, pairs):
        agree_with_pyscf(found, h, g, norb, nelec, chosen)


def test_amplitudes_belong_to_their_strings_in_whatever_order_these_come():
    norb, nelec = 5, (3, 2)
    h, g, chosen, rng = problem(norb, nelec, 6, 5)
    expected = sqd.solve_sci(chosen, h, g, norb, nelec)
    found = sqd.solve_sci([rng.permutation(one) for one in chosen], h, g, norb, nelec)
    assert all(map(np.array_equal, strings_of(found), chosen))
    overlap = np.vdot(found.sci_state.amplitudes, expected.sci_state.amplitudes)
    assert abs(abs(overlap) - 1) < 1e-9


def test_more_orbitals_than_an_integer_has_bits():
    few, many, nelec = 4, 66, (2, 1)
    h, g, chosen, _ = problem(few, nelec, 5, 3)
    place = [0, 62, 63, 65]
    wide_h, wide_g = np.zeros((many,) * 2), np.zeros((many,) * 4)
    wide_h[np.ix_(place, place)] = h
    wide_g[np.ix_(place, place, place, place)] = g
    wide = [[sum(1 << place[p] for p in range(few) if s >> p & 1) for s in one.tolist()] for one in chosen]
    expected = sqd.solve_sci(chosen, h, g, few, nelec)
    only_one = {"analysis": {"densities": "one"}}
    for strings in (wide, [np.array(one, dtype=object) for one in wide]):
        found = sqd.solve_sci(strings, wide_h, wide_g, many, nelec, request=only_one)
        assert abs(found.energy - expected.energy) < 1e-9
        assert found.sci_state.ci_strs_a.tolist() == wide[0] and found.rdm2 is None
        assert np.allclose(found.rdm1[np.ix_(place, place)], expected.rdm1, atol=1e-6)
        assert np.allclose(found.orbital_occupancies[1][place], expected.orbital_occupancies[1], atol=1e-6)


@pytest.mark.parametrize("twice, nelec", [(0, (2, 2)), (2, (2, 2)), (4, (2, 2)), (1, (2, 1)), (3, (2, 1))])
def test_a_space_that_is_closed_has_states_of_the_spin(twice, nelec):
    norb = 4
    h, g, chosen, _ = problem(norb, nelec, 99, 99)
    spin_sq = twice / 2 * (twice / 2 + 1)
    found = sqd.solve_sci(chosen, h, g, norb, nelec, spin_sq=spin_sq)
    dense = over(h, g, norb, nelec, chosen)
    squares = square_of_spin(norb, nelec, chosen)
    apart = squares - spin_sq * np.eye(len(dense))
    assert abs(found.energy - np.linalg.eigvalsh(dense + 1e3 * apart @ apart)[0]) < 1e-7
    x = found.sci_state.amplitudes.ravel()
    assert abs(x @ squares @ x - spin_sq) < 1e-7


def square_of_spin(norb, nelec, chosen):
    """S^2 = Ms^2 + N / 2 - sum of E_pq(alpha) E_qp(beta), over pairs of strings."""
    place = [np.searchsorted(twin.strings(norb, n), one) for n, one in zip(nelec, chosen)]
    moves = [twin.one_move(norb, n)[:, :, at[:, None], at] for n, at in zip(nelec, place)]
    size = len(place[0]) * len(place[1])
    crossed = np.einsum("pqij,qpkl->ikjl", *moves).reshape(size, size)
    return ((nelec[0] - nelec[1]) ** 2 / 4 + sum(nelec) / 2) * np.eye(size) - crossed


@pytest.mark.parametrize("spin_sq", [0, 2])
def test_where_states_have_no_spin_the_lowest_that_is_nearest_is_given(spin_sq):
    norb, nelec = 5, (2, 2)
    checked = 0
    for seed in range(12):
        h, _, chosen, rng = problem(norb, nelec, 5, 5, seed)
        chosen[1] = chosen[0]  # even and odd spins stay apart
        repulsion = np.array([x + x.T for x in rng.normal(size=(6, norb, norb))])
        h, g = 0.3 * h, np.einsum("xpq,xrs->pqrs", repulsion, repulsion)  # of either spin are lowest states
        dense = over(h, g, norb, nelec, chosen)
        energies, states = np.linalg.eigh(dense)
        squares = np.einsum("ik,ij,jk->k", states, square_of_spin(norb, nelec, chosen), states)
        least, most = {0: (-1, 1), 2: (1, 4)}[spin_sq]  # half way to the next spins
        fits = [k for k in range(16) if least + 1e-6 < squares[k] < most - 1e-6]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = sqd.solve_sci(chosen, h, g, norb, nelec, spin_sq=spin_sq)
        assert abs(found.energy - energies[fits[0]]) < 1e-8
        x = found.sci_state.amplitudes.ravel()
        assert np.allclose(dense @ x, found.energy * x, atol=1e-6)
        assert abs(np.sum(found.rdm1 * h) + 0.5 * np.sum(found.rdm2 * g) - found.energy) < 1e-7
        far = abs(squares[fits[0]] - spin_sq) > 0.1
        assert any("the returned state has <S^2>" in str(one.message) for one in said) == far
        checked += fits[0] > 0
    assert checked  # else the lowest of all would have done


def test_a_state_of_another_spin_is_not_given_in_silence():
    h, g, _, _ = problem(4, (1, 1), 1, 1)
    with pytest.warns(ci_solve.SolveWarning, match=r"<S\^2> = 1.0000 instead of 0") as said:
        found = sqd.solve_sci(([1], [2]), h, g, 4, (1, 1), spin_sq=0)
    assert said[0].filename == __file__  # not where it was raised
    assert abs(found.energy - (h[0, 0] + h[1, 1] + g[0, 0, 1, 1])) < 1e-9
    with pytest.warns(ci_solve.SolveWarning, match=r"<S\^2> = 0.0000 instead of 2"):
        sqd.solve_sci(([1], [1]), h, g, 4, (1, 1), spin_sq=2)
    h, g = np.diag([-3.0, 1, 2]), np.zeros((3,) * 4)  # a closed shell below three determinants of <S^2> = 1
    with pytest.warns(ci_solve.SolveWarning, match=r"<S\^2> = 1.0000 instead of 2; sought among the 4"):
        found = sqd.solve_sci(([1, 2], [1, 4]), h, g, 3, (1, 1), spin_sq=2)
    assert abs(found.energy - -2) < 1e-9


def test_the_state_given_is_the_one_that_has_converged_or_has_not(monkeypatch):
    results = []

    def recorded(*given, **how):
        results.append(ci_solve.solve(*given, **how))
        return results[-1]

    monkeypatch.setattr(sqd, "solve", recorded)
    norb, nelec = 6, (3, 3)
    h, _, chosen, rng = problem(norb, nelec, 12, 12)
    chosen[1] = chosen[0]  # even and odd spins stay apart
    repulsion = np.array([x + x.T for x in rng.normal(size=(6, norb, norb))])
    g = np.einsum("xpq,xrs->pqrs", repulsion, repulsion)
    apart = 0
    for spin_sq in (0, 2, 6):
        for products in range(1, 16):
            request = {"solver": {"method": "davidson", "max_iterations": products, "search": "none"}}
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                found = sqd.solve_sci(chosen, h, g, norb, nelec, spin_sq=spin_sq, request=request)
            last = results[-1]
            place = int(np.argmin(np.abs(last.energies - found.energy)))
            warned = any("the residual of the returned state is above the tolerance" in str(one.message) for one in said)
            assert warned == (last.verified and not last.converged[place])
            apart += last.verified and last.converged[place] != last.converged[0]
    assert apart  # else any of them would have done


def test_a_state_half_way_between_two_spins_is_of_neither():
    h, g = np.diag([0.0, 1.0]), np.zeros((2,) * 4)
    open_shell = sqd.solve_sci(([1, 2], [2]), h, g, 2, (1, 1))
    closed_shell = sqd.solve_sci(([1, 2], [2]), h, g, 2, (1, 1), spin_sq=0)
    assert (round(open_shell.energy, 9), round(closed_shell.energy, 9)) == (1, 2)


H, G = [[0.0, -1.0], [-1.0, 0.0]], [4.0, 0, 0, 0, 0, 4.0]
GIVEN = {"ci_strings": ([1, 2], [1, 2]), "one_body_tensor": H, "two_body_tensor": G, "norb": 2, "nelec": (1, 1)}


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"ci_strings": ([1, 2], [])}, "the given beta strings: the list is empty"),
        ({"ci_strings": ([1, 2],)}, "1 lists of strings"),
        ({"ci_strings": (7, [1])}, r"alpha strings have the shape \(\)"),
        ({"ci_strings": ([1], [-1])}, "the given beta strings: index 0 is -1; expected no negative number"),
        ({"ci_strings": (np.array([1.0, 2.0]), [1])}, "alpha strings have the type float64; expected integers"),
        ({"ci_strings": (np.array([[0, 1], [1, 0]]), [1])}, r"alpha strings have the shape \(2, 2\); expected one"),
        ({"norb": 3}, r"shape \(2, 2\); expected \(3, 3\)"),
        ({"norb": 2.0}, "norb is 2.0"),
        ({"nelec": 2}, "nelec is 2"),
        ({"one_body_tensor": np.array(H) * 1j}, "complex"),
        ({"spin_sq": 1}, "spin_sq is 1; expected .* one of 0, 2$"),
        ({"spin_sq": "singlet"}, "spin_sq is 'singlet'"),
        ({"request": {"space": {"frozen": 1}}}, "names space"),
        ({"request": {"problem": {"lattice": {}}}}, "names problem"),
        ({"request": "solver: {}"}, "type str"),
        ({"request": {"analysis": {"densities": "none"}}}, "analysis.densities is 'none'"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong, words):
    with pytest.raises(ci_solve.UsageError, match=words):
        sqd.solve_sci(**{**GIVEN, **wrong})


@pytest.mark.parametrize(
    "strings, words",
    [
        (([1, 3], [1]), "alpha strings: index 1 has 2 electrons; expected 1"),
        (([1], [0]), "beta strings: index 0 has 0 electrons; expected 1"),
        (([4], [1]), "alpha strings: index 0 occupies an orbital above 2"),
        (([1, 2, 1], [1]), "alpha strings: index 2 repeats index 0; expected each entry once"),
    ],
)
def test_strings_that_cannot_be_are_named_by_their_index(strings, words):
    with pytest.raises(ci_solve.BadInputError, match=words):
        sqd.solve_sci(**{**GIVEN, "ci_strings": strings})


def test_strings_go_through_no_file(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))  # no file could be made there
    monkeypatch.setattr("tempfile.tempdir", None)
    assert abs(sqd.solve_sci(**GIVEN).energy - (2 - 8**0.5)) < 1e-9


def test_settings_are_those_of_the_program():
    with pytest.raises(TypeError, match="unknown keyword 'max_cycle'; expected spin_sq, request, tolerance"):
        sqd.sci_solver(max_cycle=3)
    with pytest.raises(ci_solve.ConfigurationError, match="did you mean 'solver.method'"):
        sqd.solve_sci(**GIVEN, request={"solver": {"metod": "dense"}})
    with pytest.raises(ci_solve.ConfigurationError, match="space.spin and storage.threshold"):
        sqd.solve_sci(**GIVEN, spin_sq=0, request={"storage": {"threshold": 1e-3}})
    with pytest.raises(ci_solve.BackendError):
        sqd.solve_sci(**GIVEN, backend="cuda:99")
    told = []
    sqd.solve_sci(**GIVEN, request={"solver": {"method": "davidson"}}, progress=told.append)
    assert told


def test_the_solver_is_the_batch_with_its_settings(monkeypatch):
    monkeypatch.setattr(sqd, "_classes", lambda: (sqd.SCIResult, sqd.SCIState))
    pairs = [([1, 2], [1, 2]), ([1], [2])]
    singlet, ionic = sqd.sci_solver(pairs, H, G, 2, (1, 1))
    assert abs(singlet.energy - (2 - 8**0.5)) < 1e-9 and abs(ionic.energy) < 1e-9
    assert isinstance(singlet, sqd.SCIResult) and isinstance(singlet.sci_state, sqd.SCIState)
    assert (singlet.sci_state.norb, singlet.sci_state.nelec) == (2, (1, 1))
    solver = pickle.loads(pickle.dumps(sqd.sci_solver(spin_sq=2, threads=1)))  # ours
    (triplet,) = solver(pairs[:1], H, G, 2, (1, 1))
    assert abs(triplet.energy) < 1e-9


def test_an_import_draws_in_numpy_alone():
    code = "import sys, ci_solve.sqd; print([n for n in ('qiskit', 'jax', 'scipy', 'pyscf') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_stands_in_the_slot_of_qiskit_addon_sqd():
    fermion = pytest.importorskip("qiskit_addon_sqd.fermion")
    norb, nelec = 5, (2, 2)
    h, g, _, rng = problem(norb, nelec, 1, 1)
    every = np.array(twin.strings(norb, 2))
    drawn = [rng.permutation(every)[rng.integers(0, 7, size=60)] for _ in nelec]
    both = (drawn[1] << norb) + drawn[0]
    bits = both[:, None] >> np.arange(2 * norb)[::-1] & 1 == 1
    given = {"samples_per_batch": 6, "norb": norb, "nelec": nelec, "num_batches": 3, "max_iterations": 4, "seed": 7}
    seen = []
    found, expected = (
        fermion.diagonalize_fermionic_hamiltonian(h, g, bits, **given, sci_solver=solver, callback=seen.append)
        for solver in (sqd.sci_solver, None)
    )
    assert isinstance(found, fermion.SCIResult) and isinstance(found.sci_state, fermion.SCIState)
    assert len(seen[0]) == 3 and abs(found.energy - expected.energy) < 1e-7
    assert abs(found.sci_state.spin_square() - expected.sci_state.spin_square()) < 1e-5
    assert np.allclose(found.rdm1, found.sci_state.rdm(1, spin_summed=True), atol=1e-7)
    assert np.allclose(found.rdm2, found.sci_state.rdm(2, spin_summed=True), atol=1e-7)
    assert np.allclose(found.orbital_occupancies, found.sci_state.orbital_occupancies(), atol=1e-7)
