"""Where a device is in use, jobs run there without another word, and find what the host finds."""

from __future__ import annotations

import ci_solve
import numpy as np
import pytest
import twin
from ci_solve import _core, _libraries
from test_full_ci import problem

CHAIN = {"problem": {"lattice": {"columns": 8}}, "solver": {"states": 2}}  # 4,900 determinants

if not _core.built_for_cuda():
    pytest.skip("built without CUDA", allow_module_level=True)
if _core.count_devices() == 0:
    pytest.skip("no device here", allow_module_level=True)


def test_a_job_chooses_a_device_that_has_started():
    ci_solve.solve(CHAIN, backend="cuda")
    found = ci_solve.solve(CHAIN)
    assert found.record["backend"]["name"].startswith("cuda")
    assert found.record["fallbacks"] == []
    assert found.verified
    host = ci_solve.solve(CHAIN, backend="openmp")
    assert host.record["backend"]["name"] == "openmp"
    assert np.allclose(found.energies, host.energies, rtol=0, atol=1e-10)


def test_the_library_that_was_found_is_the_one_in_use():
    ci_solve.solve(CHAIN, backend="cuda")
    found = _libraries.find(_libraries.CUBLAS)
    assert found is not None
    with open("/proc/self/maps", encoding="utf-8") as file:
        used = {line.split()[-1] for line in file if "libcublas.so" in line}
    assert used == {str(found.resolve())}


@pytest.mark.parametrize(
    "electrons, irreps, irrep",
    [((3, 3), None, None), ((3, 2), None, None), ((3, 3), [1, 1, 2, 2, 3, 4], 3)],
)
def test_full_ci_of_the_slot_is_that_of_the_host(electrons, irreps, irrep):
    device, dense, rng = problem(6, electrons, irreps=irreps, irrep=irrep, backend="cuda")
    host, _, _ = problem(6, electrons, irreps=irreps, irrep=irrep, backend="reference")
    x = rng.normal(size=(2, *device.shape))
    assert np.allclose(device.contract(x), host.contract(x), rtol=0, atol=1e-11)
    assert np.allclose(device.diagonal(), host.diagonal())
    found, expected = (solver.solve(3) for solver in (device, host))
    assert np.allclose(found.energies, expected.energies, rtol=0, atol=1e-10)
    vectors = found.vectors.reshape(3, -1)
    assert np.allclose(vectors @ dense, vectors * np.array(found.energies)[:, None], atol=1e-7)
    again = device.solve(3, start=found.vectors, max_iterations=1, search="none")
    assert np.allclose(again.energies, found.energies, rtol=0, atol=1e-10)


def test_one_spin_is_found_on_the_device():
    device, _, _ = problem(6, (3, 3), backend="cuda")
    host, _, _ = problem(6, (3, 3), backend="reference")
    for how in ({"spin": 1}, {"even_spins": True}):
        found, expected = (solver.solve(2, dense=0, **how) for solver in (device, host))
        assert np.allclose(found.energies, expected.energies, rtol=0, atol=1e-10)
        assert np.allclose(found.s2, expected.s2, atol=1e-7)


def test_an_operator_multiplies_on_the_device():
    device, host = (ci_solve.Hamiltonian(CHAIN, backend=name) for name in ("cuda", "openmp"))
    x = np.random.default_rng(5).normal(size=(device.shape[0], 3))
    assert np.allclose(device @ x, host @ x, rtol=0, atol=1e-12)
    values, _ = ci_solve.eigsh(device, 2)
    assert np.allclose(values, ci_solve.solve(CHAIN, backend="openmp").energies, atol=1e-9)


def stencil(rows, library):
    """A chain of springs over a slope, in arrays of a library, with what it does to a block."""
    slope = library.arange(rows, dtype=library.float64) / rows

    def multiply(x):
        image = (2 + slope)[:, None] * x
        image[1:] -= x[:-1]
        image[:-1] -= x[1:]
        return image

    return slope, multiply


def lowest_of_stencil(rows, k):
    linalg = pytest.importorskip("scipy.linalg")
    slope = np.arange(rows) / rows
    return linalg.eigvalsh_tridiagonal(2 + slope, -np.ones(rows - 1), select="i", select_range=(0, k - 1))


@pytest.mark.parametrize("order", ["columns", "rows"])
@pytest.mark.parametrize("rows", [5000, 1537])
def test_blocks_of_torch_stay_on_the_device(rows, order):
    torch = pytest.importorskip("torch")
    with torch.device("cuda"):
        _, multiply = stencil(rows, torch)
    seen = []

    def watched(x):
        seen.append((x.device, x.dtype, tuple(x.shape)))
        y = multiply(x)
        return y.contiguous() if order == "rows" else y.t().contiguous().t()

    w, v = ci_solve.eigsh(watched, 3, n=rows, backend="cuda", library="torch")
    assert np.allclose(w, lowest_of_stencil(rows, 3), atol=1e-9)
    assert {device for device, _, _ in seen} == {torch.device("cuda:0")}
    assert {dtype for _, dtype, _ in seen} == {torch.float64}
    assert all(shape[0] == rows for _, _, shape in seen)
    assert v.is_cuda and v.shape == (rows, 3)
    assert torch.linalg.norm(multiply(v) - v * torch.as_tensor(w, device="cuda"), dim=0).max() < 1e-7
    again, _ = ci_solve.eigsh(watched, 3, n=rows, backend="cuda", library="torch", start=v, search="none")
    assert np.allclose(again, w, atol=1e-10)


def test_work_on_another_stream_is_waited_for():
    torch = pytest.importorskip("torch")
    rows = 200_000
    other = torch.cuda.Stream()
    with torch.device("cuda"):
        levels = torch.arange(rows, dtype=torch.float64) / 100
        burden = torch.ones((4000, 4000))

    def multiply(x):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        for _ in range(3):
            burden.matmul(burden)  # the answer comes late
        return levels[:, None] * x

    with torch.cuda.stream(other):
        w, v = ci_solve.eigsh(multiply, 2, n=rows, backend="cuda", library="torch", diagonal=levels)
    assert np.allclose(w, [0, 0.01], atol=1e-9)
    assert abs(abs(v[0, 0].item()) - 1) < 1e-9


def test_vectors_outlive_what_found_them():
    torch = pytest.importorskip("torch")
    with torch.device("cuda"):
        slope, multiply = stencil(4000, torch)
    _, v = ci_solve.eigsh(multiply, 2, n=4000, backend="cuda", library="torch", diagonal=2 + slope)
    kept = v.clone()
    del multiply, slope
    ci_solve.solve(CHAIN, backend="cuda")  # would use the memory, were it free
    assert torch.equal(v, kept)
    assert np.asarray(v.cpu()).shape == (4000, 2)


def test_a_matrix_of_torch_says_itself_where_it_lies():
    torch = pytest.importorskip("torch")
    sparse = pytest.importorskip("scipy.sparse")
    rows = 3000
    chain = sparse.diags_array([-np.ones(rows - 1), 2 + np.arange(rows) / rows, -np.ones(rows - 1)],
                               offsets=(-1, 0, 1)).tocsr()
    stored = torch.sparse_csr_tensor(chain.indptr, chain.indices, chain.data, chain.shape, device="cuda")
    w, v = ci_solve.eigsh(stored, 2)
    assert v.is_cuda
    assert np.allclose(w, lowest_of_stencil(rows, 2), atol=1e-9)


def test_operators_of_the_host_are_staged_through_it():
    sparse = pytest.importorskip("scipy.sparse")
    a = sparse.diags_array(np.arange(3000.0)).tocsr()
    for given in (a, sparse.linalg.aslinearoperator(a)):
        w, v = ci_solve.eigsh(given, 2, backend="cuda")
        assert np.allclose(w, [0, 1], atol=1e-9)
        assert isinstance(v, np.ndarray)


def test_what_a_function_gives_must_lie_on_the_device():
    torch = pytest.importorskip("torch")
    for wrong, words in (
        (lambda x: x.cpu(), "an array on the host; expected .* on cuda:0"),
        (lambda x: x.float(), "an array of another precision"),
        (lambda x: x[1:], r"of the shape \(2999, "),
        (lambda x: x.cpu().tolist(), "an object of the type list"),
    ):
        with pytest.raises(ci_solve.UsageError, match=words):
            ci_solve.eigsh(wrong, n=3000, backend="cuda", library="torch")

    def broken(_):
        raise LookupError("of the user's")

    with pytest.raises(LookupError, match="of the user's"):
        ci_solve.eigsh(broken, n=3000, backend="cuda", library="torch")


def test_plain_objects_speak_dlpack():
    torch = pytest.importorskip("torch")
    with torch.device("cuda"):
        levels = torch.arange(3000, dtype=torch.float64)
    w, v = ci_solve.eigsh(
        lambda x: levels[:, None] * torch.from_dlpack(x), 2, n=3000, backend="cuda", library="dlpack"
    )
    assert v.__dlpack_device__() == (2, 0)
    assert np.allclose(w, [0, 1], atol=1e-9)
    assert torch.from_dlpack(v).shape == (3000, 2)


def test_integrals_in_memory_go_to_the_device():
    rng = np.random.default_rng(3)
    one, two = twin.random_one_body(rng, 6), twin.random_two_body(rng, 6, True)
    device, host = (
        ci_solve.solve(one_body=one, two_body=two, electrons=(3, 3), states=2, backend=name)
        for name in ("cuda", "reference")
    )
    assert device.verified and host.verified
    assert np.allclose(device.energies, host.energies, rtol=0, atol=1e-10)
    assert np.allclose(device.rdm1(1), host.rdm1(1), atol=1e-7)


def test_the_slot_uses_the_device_for_all_but_small_problems():
    pytest.importorskip("pyscf")
    from ci_solve.pyscf import FCISolver
    from pyscf import gto, mcscf, scf

    field = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.1", basis="6-31g", verbose=0)).run()

    def solved(orbitals, electrons, backend):
        active = mcscf.CASSCF(field, orbitals, electrons)
        active.fcisolver = FCISolver(field.mol)
        active.fcisolver.backend = backend
        return active.kernel()[0], active.fcisolver.used_backend

    assert solved(6, 6, "auto")[1] == "openmp"  # 400 determinants
    (device, used), (host, _) = (solved(9, 8, backend) for backend in ("auto", "openmp"))
    assert used == "cuda"
    assert abs(device - host) < 1e-8
