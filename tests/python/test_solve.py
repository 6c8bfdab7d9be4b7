"""A job from values: the same states as the twin's, from each way to say what is wanted."""

from __future__ import annotations

import json
import multiprocessing
import pathlib

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
    with pytest.raises(TypeError, match="3 positional arguments; expected a request, or one_body and"):
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


def test_what_is_no_result_is_refused(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(ci_solve.BadInputError, match="no result of ci_solve"):
        ci_solve.load(tmp_path / "a.npz")


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
