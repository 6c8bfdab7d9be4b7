"""Where a driver is, a device is used without another word, and finds what the host finds."""

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


def test_a_job_runs_on_the_device_without_being_told():
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
