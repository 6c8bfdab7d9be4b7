"""Hamiltonians as operators, and the lowest states of operators of one's own."""

from __future__ import annotations

import ci_solve
import numpy as np
import pytest
import twin

scipy_sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


def matrix(rows=600, seed=2):
    rng = np.random.default_rng(seed)
    a = scipy_sparse.random(rows, rows, density=4 / rows, random_state=rng).tocsr()
    return (a + a.T + scipy_sparse.diags(np.arange(rows) / 10.0)).tocsr()


def lowest(a, k):
    return np.linalg.eigvalsh(a.toarray())[:k]


def kinds():
    a = matrix()
    return {
        "csr": (a, {}),
        "csc array": (scipy_sparse.csc_array(a), {}),
        "dense": (a.toarray(), {}),
        "LinearOperator": (linalg.aslinearoperator(a), {}),
        "function": (lambda x: a @ x, {"n": a.shape[0], "diagonal": a.diagonal()}),
        "function without a diagonal": (lambda x: a @ x, {"n": a.shape[0]}),
    }


@pytest.mark.parametrize("kind", kinds())
def test_operators_of_each_kind_have_the_states_of_the_dense_one(kind):
    a = matrix()
    operator, given = kinds()[kind]
    w, v = ci_solve.eigsh(operator, 3, **given)
    assert np.allclose(w, lowest(a, 3), atol=1e-9)
    assert np.linalg.norm(a @ v - v * w, axis=0).max() < 1e-7
    assert np.allclose(v.T @ v, np.eye(3), atol=1e-9)


def test_start_vectors_spare_products():
    a = matrix()
    seen = [0, 0]

    def counted(place):
        def multiply(x):
            seen[place] += x.shape[1]
            return a @ x

        return multiply

    given = {"n": a.shape[0], "diagonal": a.diagonal(), "search": "none"}
    _, v = ci_solve.eigsh(counted(0), 2, **given)
    ci_solve.eigsh(counted(1), 2, start=v, **given)
    assert seen[1] < seen[0] / 2


def test_no_sane_job_meets_the_limit_and_one_that_does_is_told_how_far_it_came():
    levels = np.linspace(0, 1, 4000)
    seen = 0

    def multiply(x):
        nonlocal seen
        seen += x.shape[1]
        return levels[:, None] * x

    given = {"n": levels.size, "search": "none"}
    w, _ = ci_solve.eigsh(multiply, 2, **given)
    assert seen > 200
    assert np.allclose(w, levels[:2], atol=1e-9)
    told = "the largest residual was .* in iteration [0-9]+ and .* in iteration 150; start=vectors"
    with pytest.warns(ci_solve.SolveWarning, match=told):
        ci_solve.eigsh(multiply, 2, max_iterations=150, **given)


def test_a_function_may_keep_what_it_was_given():
    a = matrix()
    kept = []

    def multiply(x):
        kept.append((x, x.copy()))
        return a @ x

    ci_solve.eigsh(multiply, n=a.shape[0], diagonal=a.diagonal())
    assert all((block == copy).all() for block, copy in kept)


def test_blocks_of_others_come_by_dlpack():
    class Foreign:
        def __init__(self, array):
            self._array = array

        def __dlpack__(self, **given):
            return self._array.__dlpack__(**given)

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()

    a = matrix()
    w, _ = ci_solve.eigsh(lambda x: Foreign(a @ x), n=a.shape[0], diagonal=a.diagonal())
    assert np.allclose(w, lowest(a, 1), atol=1e-9)


def test_complex_and_oblong_operators_are_refused():
    with pytest.raises(ci_solve.UsageError, match="complex"):
        ci_solve.eigsh(np.eye(4) * 1j)
    with pytest.raises(ci_solve.UsageError, match="square"):
        ci_solve.eigsh(np.ones((4, 3)))


@pytest.mark.parametrize("kind", ["csr", "dense", "LinearOperator", "function"])
@pytest.mark.parametrize("rows", [300, 600])  # solved densely, and by iterations
def test_operators_that_are_not_symmetric_are_refused(kind, rows):
    a = matrix(rows).tolil()
    a[3, 40] += 1e-3
    a = a.tocsr()
    operator, n = {
        "csr": (a, None),
        "dense": (a.toarray(), None),
        "LinearOperator": (linalg.aslinearoperator(a), None),
        "function": (lambda x: a @ x, rows),
    }[kind]
    with pytest.raises(ci_solve.BadInputError, match="the operator is not symmetric"):
        ci_solve.eigsh(operator, 2, n=n)


def test_what_rounding_leaves_between_triangles_is_no_asymmetry():
    rng = np.random.default_rng(3)
    q = np.linalg.qr(rng.normal(size=(700, 700)))[0]
    a = (q * np.arange(700.0)) @ q.T
    assert np.abs(a - a.T).max() > 0
    w, _ = ci_solve.eigsh(a, 2)
    assert np.allclose(w, [0, 1], atol=1e-8)


def test_fewer_states_than_asked_for_are_told():
    with pytest.warns(ci_solve.SolveWarning, match="5 eigenvalues were requested, but the operator has 3"):
        w, v = ci_solve.eigsh(np.diag([1.0, 2.0, 3.0]), 5)
    assert np.allclose(w, [1, 2, 3])
    assert v.shape == (3, 3)


def test_a_tolerance_that_arithmetic_does_not_allow_is_told():
    a = 1e9 * matrix(2000)
    with pytest.warns(ci_solve.SolveWarning, match="a tolerance of [0-9.e-]+ can be reached$"):
        ci_solve.eigsh(a, 2)


@pytest.mark.parametrize("elements", ["precomputed", "on-the-fly"])
def test_a_hamiltonian_is_that_of_the_twin(elements):
    rng = np.random.default_rng(1)
    h, g = twin.random_one_body(rng, 4), twin.random_two_body(rng, 4)
    dense = twin.hamiltonian((h, h), (g, g, g), (2, 2), 0.5)
    request = {"storage": {"elements": elements}}
    found = ci_solve.Hamiltonian(request, one_body=h, two_body=g, electrons=(2, 2), core=0.5)
    x = rng.normal(size=(36, 3))
    assert np.allclose(found @ x, dense @ x)
    assert np.allclose(found.matvec(x[:, 0]), dense @ x[:, 0])
    assert np.allclose(found.diagonal(), dense.diagonal())
    assert np.allclose(found.to_scipy().toarray(), dense)
    assert np.allclose(linalg.eigsh(linalg.aslinearoperator(found), 1, which="SA")[0], np.linalg.eigvalsh(dense)[0])


def test_a_partition_changes_no_order():
    rng = np.random.default_rng(1)
    h, g = twin.random_one_body(rng, 4), twin.random_two_body(rng, 4)
    given = {"one_body": h, "two_body": g, "electrons": (2, 2)}
    plain = ci_solve.Hamiltonian(**given)
    parted = ci_solve.Hamiltonian({"space": {"partition": {"lowest": 9}}, "storage": {"format": "csr"}}, **given)
    x = rng.normal(size=36)
    assert np.allclose(plain @ x, parted @ x)
    assert np.allclose(plain.to_scipy().toarray(), parted.to_scipy().toarray())
    assert np.allclose(plain.diagonal(), parted.diagonal())
