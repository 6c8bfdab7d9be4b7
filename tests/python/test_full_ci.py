"""Full CI over given integrals, as PySCF's slot needs it: products, states, densities, spins."""

from __future__ import annotations

import numpy as np
import pytest
import twin
from ci_solve import _core
from ci_solve._requests import integrals_of


def problem(orbitals, electrons, seed=1, unrestricted=False, irreps=None, **given):
    rng = np.random.default_rng(seed)
    h = [twin.random_one_body(rng, orbitals) for _ in range(2)]
    g = [twin.random_two_body(rng, orbitals, same) for same in (True, False, True)]
    if not unrestricted:
        h, g = [h[0]] * 2, [g[0]] * 3
    if irreps is not None:
        label = np.array(irreps) - 1
        for one in h:
            one[label[:, None] != label] = 0
        for two in g:
            two[(label[:, None, None, None] ^ label[:, None, None] ^ label[:, None] ^ label) != 0] = 0
    held = (tuple(h), tuple(g)) if unrestricted else (h[0], g[0])
    solver = _core.FullCI(integrals_of(*held, 0.5, electrons, irreps), **given)
    return solver, twin.hamiltonian(h, g, electrons, 0.5), rng


@pytest.mark.parametrize("unrestricted", [False, True])
@pytest.mark.parametrize("electrons", [(2, 2), (3, 1), (1, 0), (0, 0), (4, 4)])
def test_products_and_states_are_those_of_the_twin(electrons, unrestricted):
    solver, dense, rng = problem(4, electrons, unrestricted=unrestricted)
    x = rng.normal(size=(2, *solver.shape))
    assert np.allclose(solver.contract(x).reshape(2, -1), x.reshape(2, -1) @ dense)
    assert np.allclose(solver.contract(x[0]), solver.contract(x)[0])
    assert np.allclose(solver.diagonal().ravel(), dense.diagonal())
    k = min(3, len(dense))
    found = solver.solve(k)
    assert np.allclose(found.energies, np.linalg.eigvalsh(dense)[:k], atol=1e-9)
    assert all(found.converged)
    vectors = found.vectors.reshape(k, -1)
    assert np.allclose(vectors @ dense, vectors * np.array(found.energies)[:, None], atol=1e-7)


def test_an_irrep_stands_among_all_determinants():
    solver, dense, rng = problem(4, (2, 2), irreps=[1, 1, 2, 2], irrep=2)
    whole, _, _ = problem(4, (2, 2), irreps=[1, 1, 2, 2])
    assert solver.shape == whole.shape and solver.dimension < 36
    found = solver.solve(2)
    vectors = found.vectors.reshape(2, -1)
    assert np.allclose(vectors @ dense, vectors * np.array(found.energies)[:, None], atol=1e-7)
    inside = solver.diagonal().ravel() != 0
    assert inside.sum() == solver.dimension
    x = rng.normal(size=36)
    image = solver.contract(x.reshape(6, 6)).ravel()
    assert np.allclose(image, inside * (dense @ (inside * x)))
    again = solver.solve(2, start=found.vectors, max_iterations=1, search="none")
    assert np.allclose(again.energies, found.energies, atol=1e-9)


def test_states_of_one_spin_are_found_and_begun_from_any_vector():
    solver, _, rng = problem(6, (3, 3))
    found = solver.solve(60)
    triplets = [e for e, s2 in zip(found.energies, found.s2, strict=True) if abs(s2 - 2) < 1e-6]
    start = rng.normal(size=(2, *solver.shape))
    for given in (None, start):
        of_spin = solver.solve(2, spin=1, start=given)
        assert np.allclose(of_spin.s2, 2) and np.allclose(of_spin.energies, triplets[:2], atol=1e-8)
    singlet = found.vectors[0] if abs(found.s2[0]) < 1e-6 else solver.solve(1, spin=0).vectors[0]
    nothing = solver.solve(1, spin=1, start=singlet)  # which has no part of that spin
    assert np.isclose(nothing.energies[0], triplets[0], atol=1e-8)


def test_starts_spare_iterations():
    solver, _, _ = problem(7, (3, 3), seed=4)
    cold = solver.solve(1, search="none")
    warm = solver.solve(1, search="none", start=cold.vectors)
    assert warm.products < cold.products and np.isclose(warm.energies[0], cold.energies[0], atol=1e-9)


def test_starts_of_a_spin_spare_iterations():
    solver, _, _ = problem(7, (3, 3), seed=4)
    cold = solver.solve(1, spin=1, search="none")
    warm = solver.solve(1, spin=1, search="none", start=cold.vectors)
    assert warm.products < cold.products and np.isclose(warm.energies[0], cold.energies[0], atol=1e-9)


def test_the_callback_stops_a_solution():
    solver, _, _ = problem(7, (3, 3), seed=4)
    seen = []
    solver.solve(1, callback=lambda *values: seen.append(values))
    assert len(seen[0]) == 7
    stopped = solver.solve(1, callback=lambda iteration, *rest: iteration < 2)
    assert stopped.converged == [False]


def test_vectors_of_another_size_are_refused():
    solver, _, _ = problem(4, (2, 2))
    for wrong in (np.zeros(35), np.zeros((7, 6)), np.zeros(0)):
        with pytest.raises(ValueError, match="expected 6 x 6"):
            solver.contract(wrong)
    with pytest.raises(ValueError, match="not stacked"):
        solver.contract(np.zeros((12, 6)))
    with pytest.raises(ValueError, match="expected auto"):
        solver.solve(search="some")


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="negative"):
        problem(4, (2, 2), threads=-1)
    with pytest.raises(ValueError, match="no symmetry"):
        problem(4, (2, 2), irrep=3)
    with pytest.raises(ValueError, match="3 electrons of one spin"):
        _core.FullCI(_core.integrals(2, 3, 0, np.zeros((2, 2)), np.zeros(6)))
    for counts in ((-1, 0, 0), (4, 5, 0), (300, 1, 1)):
        with pytest.raises(ValueError, match="expected"):
            _core.FullSpace(*counts)
    with pytest.raises(MemoryError):
        _core.FullSpace(200, 100, 100)
    wide = _core.FullSpace(250, 2, 1)  # whose moves would be terabytes
    with pytest.raises(MemoryError, match="of memory are free"):
        wide.moved(np.zeros(wide.shape), "alpha")


def test_densities_and_spins_are_those_of_the_twin():
    rng = np.random.default_rng(2)
    space = _core.FullSpace(4, 2, 1)
    alpha, beta = twin.one_move(4, 2), twin.one_move(4, 1)
    bra, ket = rng.normal(size=(2, *space.shape))
    found = space.rdm1(bra, ket)
    assert np.allclose(found[0], np.einsum("ib,pqij,jb->pq", bra, alpha, ket))
    assert np.allclose(found[1], np.einsum("ai,pqij,aj->pq", bra, beta, ket))
    moved = space.moved(ket, "alpha")
    assert np.allclose(moved, np.einsum("pqij,jb->pqib", alpha, ket))
    of_beta = space.moved(ket, "beta")
    assert np.allclose(of_beta, np.einsum("pqij,aj->pqai", beta, ket))
    # <a+_p a+_r a_s a_q> = <E_pq E_rs> - delta_qr <E_ps>
    same, mixed, other = space.rdm2(ket)
    left = space.moved(ket, "alpha").transpose(1, 0, 2, 3)
    product = np.einsum("pqab,rsab->pqrs", left, moved)
    one = space.rdm1(ket, ket)
    assert np.allclose(same, product - np.einsum("qr,ps->pqrs", np.eye(4), one[0]))
    assert np.allclose(mixed, np.einsum("pqab,rsab->pqrs", left, of_beta))
    assert np.allclose(other, 0)  # one electron alone
    sums = np.einsum("pqab,qpab->", left, of_beta)
    spin = np.vdot(ket, space.apply_s2(ket))
    ms, norm = 0.5, np.vdot(ket, ket)
    # S^2 = Ms (Ms + 1) + N_beta - sum E^alpha_pq E^beta_qp
    assert np.isclose(spin, (ms * (ms + 1) + 1) * norm - sums)


def test_ten_thousand_small_solutions_hold_no_memory():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    rng = np.random.default_rng(1)
    h, g = twin.random_one_body(rng, 4), twin.random_two_body(rng, 4)

    def once():
        return _core.FullCI(integrals_of(h, g, 0.0, (2, 2), None)).solve(1).energies[0]

    first = once()
    for _ in range(300):
        once()
    before = resident()
    for _ in range(3000):
        assert once() == first
    assert resident() - before < 2 << 20
