"""A job from values: the same states as the twin's, from each way to say what is wanted."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import pathlib
import pickle

import ci_solve
import numpy as np
import pytest
import twin

CHAIN = {"problem": {"lattice": {"columns": 4}}}


def restricted(orbitals=4, seed=1):
    rng = np.random.default_rng(seed)
    return twin.random_one_body(rng, orbitals), twin.random_two_body(rng, orbitals)


def expected(h, g, electrons, core=0.0):
    return np.linalg.eigvalsh(twin.hamiltonian((h, h), (g, g, g), electrons, core))


def packed(g, fold):
    n = len(g)
    p, q = np.tril_indices(n)
    pairs = g[p, q][:, p, q]
    return {1: g, 4: pairs, 8: pairs[np.tril_indices(len(p))]}[fold]


def test_integrals_may_come_first():
    h, g = restricted()
    first = ci_solve.solve(h, g, electrons=(2, 1), states=2).energies
    assert (first == ci_solve.solve(one_body=h, two_body=g, electrons=(2, 1), states=2).energies).all()
    with pytest.raises(TypeError, match="3 positional arguments were given; expected a request, or one_body and"):
        ci_solve.solve(h, g, g, electrons=(2, 1))
    with pytest.raises(TypeError, match="two_body is given twice"):
        ci_solve.solve(h, g, two_body=g, electrons=(2, 1))
    with pytest.raises(TypeError, match="a request and another positional argument"):
        ci_solve.solve(CHAIN, g, electrons=(2, 1))


def test_a_file_of_integrals_or_of_a_matrix_is_a_request(tmp_path):
    dump = tmp_path / "two.dat"
    dump.write_text("&FCI NORB=1,NELEC=2,\n/\n0.5 1 1 1 1\n-1.25 1 1 0 0\n0 0 0 0 0\n")
    assert np.allclose(ci_solve.solve(dump).energies, [-2])
    matrix = tmp_path / "a.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 1\n")
    assert np.allclose(ci_solve.solve(str(matrix), states=2).energies, [0, 2])
    with pytest.raises(ci_solve.Error, match="none.fcidump"):
        ci_solve.solve(str(tmp_path / "none.fcidump"))


@pytest.mark.parametrize("fold", [1, 4, 8])
def test_integrals_of_each_packing_give_the_states_of_the_twin(fold):
    h, g = restricted()
    found = ci_solve.solve(one_body=h, two_body=packed(g, fold), electrons=(2, 1), core=0.5, states=4)
    assert np.allclose(found.energies, expected(h, g, (2, 1), 0.5)[:4], atol=1e-9)
    assert found.verified and found.exit_code == 0


def test_unrestricted_integrals_have_orbitals_of_each_spin():
    rng = np.random.default_rng(3)
    h = [twin.random_one_body(rng, 4) for _ in range(2)]
    g = [twin.random_two_body(rng, 4, same) for same in (True, False, True)]
    found = ci_solve.solve(one_body=tuple(h), two_body=tuple(g), electrons=(2, 2), states=5)
    assert np.allclose(found.energies, np.linalg.eigvalsh(twin.hamiltonian(h, g, (2, 2)))[:5], atol=1e-9)
    assert found.s2 == [None] * 5


def rows_of(determinants, electrons, orbitals=4):
    """Where determinants stand among all of the twin."""
    place = [np.searchsorted(twin.strings(orbitals, n), one) for n, one in zip(electrons, determinants)]
    return place[0] * len(twin.strings(orbitals, electrons[1])) + place[1]


def test_determinants_in_memory_span_the_space():
    h, g = restricted()
    electrons = (2, 1)
    every = [np.array(twin.strings(4, n)) for n in electrons]
    chosen = np.random.default_rng(5).permutation(len(every[0]) * len(every[1]))[:15]
    alpha, beta = every[0][chosen // len(every[1])], every[1][chosen % len(every[1])]
    dense = twin.hamiltonian((h, h), (g, g, g), electrons)[np.ix_(sorted(chosen), sorted(chosen))]
    given = {"one_body": h, "two_body": g, "electrons": electrons, "states": 3}
    found = ci_solve.solve(**given, determinants=(alpha, beta))
    assert found.verified and np.allclose(found.energies, np.linalg.eigvalsh(dense)[:3], atol=1e-9)
    assert sorted(rows_of(found.determinants, electrons)) == sorted(chosen)
    again = ci_solve.solve(**given, determinants=found.determinants)  # as a result has them
    assert (again.energies == found.energies).all()
    words = [one.astype(np.uint64)[:, None] for one in (alpha, beta)]
    for same in ((alpha.tolist(), beta.tolist()), [one.astype(object) for one in (alpha, beta)], words):
        assert (ci_solve.solve(**given, determinants=same).energies == found.energies).all()


def test_strings_in_memory_span_the_space_of_their_product(tmp_path):
    h, g = restricted()
    dump = tmp_path / "chain.yaml"
    dump.write_text("problem: {lattice: {columns: 4}}\nspace: {kind: cisd}\n")
    strings = [0b0011, 0b0101, 0b0110, 0b1001], [0b1100, 0b0011]
    files = [tmp_path / "alpha", tmp_path / "beta"]
    for file, ones in zip(files, strings):
        file.write_text("".join(f"{one:04b}\n" for one in ones))
    named = {"kind": "product", "alpha": str(files[0]), "beta": str(files[1])}
    expected = ci_solve.solve({**CHAIN, "space": named}, states=2)
    found = ci_solve.solve(dump, strings=strings, states=2)  # a keyword wins over the request
    assert (found.energies == expected.energies).all() and found.verified
    assert found.record["space"] == expected.record["space"]
    assert ci_solve.Hamiltonian(CHAIN, strings=strings).shape == (8, 8)


def test_a_solution_over_determinants_in_memory_is_gone_on_with_and_kept(tmp_path):
    request = {"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson"}}
    every = np.array(twin.strings(8, 4))
    strings = (every[::2], every[1::2])
    whole = ci_solve.solve(request, strings=strings)
    with pytest.raises(ci_solve.Interrupted) as stopped:
        ci_solve.solve(request, strings=strings, progress=lambda progress: progress.iteration < 2)
    rest = ci_solve.solve(request, strings=strings, start=stopped.value.state)
    assert rest.verified and np.allclose(rest.energies, whole.energies, atol=1e-9)
    whole.write(tmp_path / "run")
    assert (ci_solve.load(tmp_path / "run").determinants[0] == whole.determinants[0]).all()


@pytest.mark.parametrize(
    "given, error, words",
    [
        ({"determinants": ([3], [5]), "strings": ([3], [5])}, "UsageError", "determinants and strings"),
        ({"determinants": [3, 5, 6]}, "UsageError", "determinants are not a pair"),
        ({"strings": "0011"}, "UsageError", "strings are not a pair"),
        ({"strings": ([3], [[3], [5, 6]])}, "UsageError", "beta strings are not an array"),
        ({"strings": ([3, "5"], [3])}, "UsageError", "alpha strings have the type <U"),
        ({"strings": ([2**70, -1], [3])}, "UsageError", "alpha strings: index 1 is -1"),
        ({"strings": ([2**70, 0.5], [3])}, "UsageError", "alpha strings: index 1 is 0.5; expected a whole"),
        ({"determinants": ([3], [2**300])}, "BadInputError", "5 words for each string; expected 1 to 4"),
        ({"determinants": ([3, 5], [3])}, "BadInputError", "2 alpha and 1 beta strings; expected equal numbers"),
        ({"determinants": ([3, 7], [3, 5])}, "BadInputError", "index 1 has 3 alpha and 2 beta electrons; exp"),
        ({"strings": ([3, 2**70 + 1], [3])}, "BadInputError", "alpha strings: index 1 occupies an orbital above 4"),
        ({"request": {**CHAIN, "space": {"determinants": "a.txt"}}, "strings": ([3], [3])},
         "ConfigurationError", "space.determinants is given, but space.kind is product"),
    ],
)  # fmt: skip
def test_lists_in_memory_that_cannot_be_are_refused(given, error, words):
    with pytest.raises(getattr(ci_solve, error), match=words):
        ci_solve.solve(**{"request": CHAIN, **given})


def test_a_text_a_file_and_a_mapping_are_the_same_request(tmp_path):
    text = "problem:\n  lattice: {columns: 4}\nsolver: {states: 3}\n"
    path = tmp_path / "chain.yaml"
    path.write_text(text)
    requests = [text, path, str(path), {**CHAIN, "solver": {"states": 3}}]
    energies = [ci_solve.solve(request).energies for request in requests]
    assert all((found == energies[0]).all() for found in energies)


def test_keywords_win_over_the_request():
    assert len(ci_solve.solve({**CHAIN, "solver": {"states": 3}}, states=1).energies) == 1


def test_a_spin_is_that_of_the_states():
    h, g = restricted()
    found = ci_solve.solve(one_body=h, two_body=g, electrons=4, spin=1, states=2)
    assert np.allclose(found.s2, 2)
    assert np.isclose(found.energies[0], expected(h, g, (3, 1))[0], atol=1e-9)


def test_irreps_of_orbitals_divide_the_states():
    rng = np.random.default_rng(5)
    h, g = twin.random_one_body(rng, 4), twin.random_two_body(rng, 4)
    label = np.array([0, 0, 1, 1])
    h[label[:, None] != label] = 0
    g[(label[:, None, None, None] ^ label[:, None, None] ^ label[:, None] ^ label) != 0] = 0
    given = {"one_body": h, "two_body": g, "electrons": (2, 2), "orbital_irreps": [1, 1, 2, 2]}
    of_all = ci_solve.solve(**given, states=36)
    by_irrep = [ci_solve.solve(**given, states=count, irrep=irrep) for irrep, count in ((1, 20), (2, 16))]
    assert np.allclose(np.sort(np.concatenate([one.energies for one in by_irrep])), of_all.energies, atol=1e-9)
    assert by_irrep[1].irreps == [2] * len(by_irrep[1].energies)


def test_vectors_are_views_of_eigenvectors_and_outlive_what_they_came_from():
    h, g = restricted()
    dense = twin.hamiltonian((h, h), (g, g, g), (2, 2))
    found = ci_solve.solve(one_body=h, two_body=g, electrons=(2, 2), states=2)
    vectors, energies = found.vectors, found.energies
    assert vectors.base is not None and not vectors.flags.writeable
    assert found.vectors.ctypes.data == vectors.ctypes.data
    del found
    assert np.allclose(dense @ vectors, vectors * energies, atol=1e-8)


def test_density_matrices_give_the_energy():
    h, g = restricted()
    request = {"analysis": {"densities": "two"}}
    found = ci_solve.solve(request, one_body=h, two_body=g, electrons=(2, 2), states=2, core=0.25)
    for state, energy in enumerate(found.energies):
        one, two = found.rdm1(state).sum(axis=0), found.rdm2(state)
        assert np.isclose(0.25 + (h * one).sum() + 0.5 * (g * two).sum(), energy, atol=1e-9)
    moves = twin.one_move(4, 2)
    first, second = (found.vectors[:, i].reshape(6, 6) for i in range(2))
    alpha = np.einsum("ib,pqij,jb->pq", first, moves, second)
    assert np.allclose(found.transition_rdm1(1)[0], alpha, atol=1e-9)


def test_transition_densities_are_of_any_two_states_and_of_no_others():
    h, g = restricted()
    found = ci_solve.solve(one_body=h, two_body=g, electrons=(2, 2), states=4)
    moves = twin.one_move(4, 2)
    states = [found.vectors[:, i].reshape(6, 6) for i in range(4)]
    for i, bra in enumerate(states):
        for j, ket in enumerate(states):
            alpha = np.einsum("ib,pqij,jb->pq", bra, moves, ket)
            beta = np.einsum("bi,pqij,bj->pq", bra, moves, ket)
            assert np.allclose(found.transition_rdm1(i, j), [alpha, beta], atol=1e-9)
        assert (found.transition_rdm1(i) == found.transition_rdm1(0, i)).all()
    assert (found.transition_rdm1(-1) == found.transition_rdm1(0, 3)).all()
    assert (found.transition_rdm1(-2, -1) == found.transition_rdm1(2, 3)).all()
    assert (found.rdm1(-1) == found.rdm1(3)).all()
    for call in (found.rdm1, found.rdm2, found.transition_rdm1, lambda i: found.transition_rdm1(0, i)):
        for wrong in (4, -5):
            with pytest.raises(ci_solve.UsageError, match=f"state {wrong}; expected -4 to 3"):
                call(wrong)
        with pytest.raises(TypeError):
            call(1.0)
    again = pickle.loads(pickle.dumps(found))
    assert (again.transition_rdm1(2, 0) == found.transition_rdm1(2, 0)).all()
    with pytest.raises(ci_solve.UsageError, match="keeps only transitions from state 0"):
        again.transition_rdm1(1, 2)


def test_a_result_is_kept_by_save_and_by_the_files_of_the_program(tmp_path):
    found = ci_solve.solve(CHAIN, states=2)
    found.save(tmp_path / "a.npz")
    again = ci_solve.load(tmp_path / "a.npz")
    assert again.record == found.record and str(again) == str(found)
    assert (again.rdm1(1) == found.rdm1(1)).all()
    found.write(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "run.json").read_text()) == found.record
    assert (tmp_path / "out" / "results.h5").exists()
    with pytest.raises(ci_solve.CannotWriteError):
        found.write(tmp_path / "out")
    found.write(tmp_path / "out", overwrite=True)
    size = (tmp_path / "out" / "results.h5").stat().st_size
    ci_solve.solve({**CHAIN, "output": {"vectors": False}}, states=2).write(tmp_path / "all")
    written = (tmp_path / "all" / "results.h5").read_bytes()
    assert abs(len(written) - size) < 200 and b"strings" in written


def agree(found, kept):
    """What a result gives by itself, whoever kept it."""
    assert str(kept) == str(found) and len(kept) == len(found)
    assert (kept.vectors == found.vectors).all()
    for ours, theirs in zip(found.determinants, kept.determinants):
        assert (ours == theirs).all()
    for state in range(len(found)):
        assert (kept.rdm1(state) == found.rdm1(state)).all()
        for ours, theirs in zip(found.natural_orbitals(state), kept.natural_orbitals(state)):
            assert (ours == theirs).all()


# Full CI, one irrep, a truncated space, and a frozen orbital between active ones, which changes signs.
@pytest.mark.parametrize("space", [{}, {"irrep": 2}, {"kind": "cisd"}, {"frozen": [2]}])
def test_a_job_of_the_program_is_loaded_from_its_folder_and_files(tmp_path, space):
    h, g = restricted(5)
    irreps = np.array([0, 1, 0, 1, 0])
    if "irrep" in space:
        h[irreps[:, None] != irreps] = 0
        g[(irreps[:, None, None, None] ^ irreps[:, None, None] ^ irreps[:, None] ^ irreps) != 0] = 0
    request = {"space": space, "analysis": {"densities": "two"}}
    found = ci_solve.solve(request, one_body=h, two_body=g, electrons=(3, 2), states=3)
    found.write(tmp_path)
    for name in (tmp_path, tmp_path / "run.json", tmp_path / "results.h5"):
        kept = ci_solve.load(name)
        agree(found, kept)
        assert kept.record == found.record and (kept.rdm2(1) == found.rdm2(1)).all()
    found.save(tmp_path / "a.npz")
    agree(found, ci_solve.load(tmp_path / "a.npz"))
    agree(found, pickle.loads(pickle.dumps(found)))
    (tmp_path / "run.json").unlink()
    alone = ci_solve.load(tmp_path)
    assert (alone.energies == found.energies).all() and alone.exit_code == 0
    assert (alone.vectors == found.vectors).all() and alone.s2 == [None] * 3
    assert "<table" in alone.to_html()


def test_determinants_are_those_of_the_rows(tmp_path):
    """The frozen orbital lies between active ones: the sign of moving its electrons is in the vectors."""
    h, g = restricted(4)
    found = ci_solve.solve({"space": {"frozen": [2]}}, one_body=h, two_body=g, electrons=(2, 2), states=2)
    alpha, beta = found.determinants
    assert all(string & 0b10 for string in alpha) and len(alpha) == len(found.vectors) == 9
    strings = sorted(sum(1 << p for p in pair) for pair in itertools.combinations(range(4), 2))
    rows = [strings.index(a) * 6 + strings.index(b) for a, b in zip(alpha, beta)]
    dense = twin.hamiltonian((h, h), (g, g, g), (2, 2))[np.ix_(rows, rows)]
    assert np.allclose(dense @ found.vectors, found.vectors * found.energies, atol=1e-8)
    text, coefficient = found.dominant[0][0]
    bits = [sum(1 << p for p, c in enumerate(text) if c in one) for one in ("2u", "2d")]
    (row,) = np.flatnonzero((alpha == bits[0]) & (beta == bits[1]))
    assert found.vectors[row, 0] == pytest.approx(coefficient, abs=1e-12)
    with pytest.raises(ci_solve.UsageError, match="no determinants"):
        ci_solve.solve({"problem": {"generate": {"rows": 20, "symmetric": True}}}).determinants


def test_strings_of_many_orbitals_are_integers_of_python():
    request = {"problem": {"lattice": {"columns": 70}}, "space": {"electrons": [1, 1]}}
    alpha, beta = ci_solve.solve(request).determinants
    assert alpha[-1] == beta[-1] == 1 << 69 and len(alpha) == 4900


def test_natural_orbitals_diagonalise_the_density():
    h, g = restricted()
    found = ci_solve.solve(one_body=h, two_body=g, electrons=(2, 1), states=2)
    for state in range(2):
        occupations, orbitals = found.natural_orbitals(state)
        density = found.rdm1(state).sum(axis=0)
        assert np.allclose(orbitals.T @ density @ orbitals, np.diag(occupations), atol=1e-10)
        assert np.isclose(occupations.sum(), 3) and (np.diff(occupations) <= 0).all()
    with pytest.raises(ci_solve.UsageError, match="state 2; expected 0 to 1"):
        found.natural_orbitals(2)
    with pytest.raises(ci_solve.UsageError, match="no natural orbitals were saved"):
        ci_solve.solve({**CHAIN, "analysis": {"densities": "none"}}).natural_orbitals()


def test_a_result_is_a_sequence_of_its_states():
    found = ci_solve.solve(CHAIN, states=3)
    assert len(found) == 3 and [state["energy"] for state in found] == found.energies.tolist()
    assert found[-1] == found.record["states"][2] and found[1:] == found.record["states"][1:]
    with pytest.raises(IndexError):
        found[3]


def test_what_is_no_result_is_refused(tmp_path):
    def refused(name, words, content=None):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(ci_solve.BadInputError, match=words) as told:
            ci_solve.load(tmp_path / name)
        assert "allow_pickle" not in str(told.value)

    refused("a.npz", "not a result of ci_solve; expected a file of Result.save, results.h5", b"nothing of the kind")
    np.savez(tmp_path / "b.npz", record=np.array([{}], dtype=object))
    refused("b.npz", "it holds objects of Python")
    refused("c.pkl", "not a result of ci_solve", pickle.dumps({}))
    refused("results.h5", "results.h5", b"\x89HDF\r\n\x1a\n" + bytes(100))
    refused("run.json", "not a record of ci-solve", b"[]")
    with pytest.raises(ci_solve.NoInputError, match="neither run.json nor results.h5"):
        ci_solve.load(tmp_path.parent)


def test_a_record_of_another_job_is_left_out(tmp_path):
    ci_solve.solve(CHAIN, states=2).write(tmp_path)
    ci_solve.solve(CHAIN, states=3).write(tmp_path / "other")
    (tmp_path / "other" / "run.json").replace(tmp_path / "run.json")
    with pytest.warns(ci_solve.SolveWarning, match="belongs to another job and is ignored"):
        assert len(ci_solve.load(tmp_path)) == 2


def test_a_child_of_a_process_that_has_solved_solves_too():
    # More threads than one takes alone; a device of this process is none of its child.
    request = {"problem": {"lattice": {"columns": 8}}, "threads": 2, "backend": "openmp"}
    here = ci_solve.solve(request, progress=False).energies
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(energies_of, [request]).get(timeout=60)
    assert np.array_equal(here, there)
    assert np.array_equal(here, ci_solve.solve(request, progress=False).energies)


def energies_of(request):
    return ci_solve.solve(request, progress=False).energies


def test_pages_show_the_states():
    found = ci_solve.solve(CHAIN, states=2)
    for page in (found.to_html(), found._repr_html_()):
        assert f"{found.energies[0]:.6f}"[:9] in page and "<table" in page


def test_what_a_file_says_is_text_on_a_page():
    found = ci_solve.solve(CHAIN, states=2)
    evil = "<script>alert(1)</script>&<img src=x onerror=alert(1)>\"'"
    found.record["problem"]["source"] = evil
    found.record["states"][0]["irrep"] = 1
    found.record["states"][0]["irrep_name"] = evil
    found.record["states"][1]["irrep"] = evil
    for page in (found._repr_html_(), found.to_html()):
        assert "<script" not in page and "<img src=x" not in page
        assert "&lt;script&gt;" in page


def test_the_configurations_of_the_house_run():
    path = pathlib.Path(__file__).parents[2] / "configs" / "hubbard-chain.yaml"
    if not path.exists():
        pytest.skip("no such configuration")
    assert ci_solve.solve(path).verified
