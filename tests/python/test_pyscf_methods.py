"""Products, densities and spins in PySCF's conventions, against PySCF's own."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyscf")

from ci_solve.pyscf import FCISolver
from pyscf import ao2mo, fci
from pyscf.fci import cistring, direct_nosym, direct_spin1, direct_uhf

SPACES = [(4, (2, 2)), (5, (3, 1)), (3, (1, 0)), (3, (3, 2)), (1, (1, 1))]


def problem(norb, nelec, seed=5):
    rng = np.random.default_rng(seed)
    shape = tuple(cistring.num_strings(norb, count) for count in nelec)
    bra, ket = (x / np.linalg.norm(x) for x in rng.normal(size=(2, *shape)))
    pairs = norb * (norb + 1) // 2
    h = [x + x.T for x in rng.normal(size=(2, norb, norb))]
    g = list(rng.normal(size=(3, pairs, pairs)))
    g[0], g[2] = g[0] + g[0].T, g[2] + g[2].T
    return h, g, bra, ket


def agree(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    return np.shape(ours) == np.shape(theirs) and np.allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("norb, nelec", SPACES)
@pytest.mark.parametrize("name", ["make_rdm1s", "make_rdm1", "make_rdm12s", "make_rdm12", "make_rdm2"])
def test_densities(norb, nelec, name):
    _, _, _, ket = problem(norb, nelec)
    ours, theirs = FCISolver(), direct_spin1.FCISolver()
    links = ours.gen_linkstr(norb, nelec, tril="1" in name)
    expected = getattr(theirs, name)(ket, norb, nelec)
    assert agree(getattr(ours, name)(ket, norb, nelec, link_index=links), expected)
    assert agree(getattr(ours, name)(ket.ravel(), norb, nelec), expected)


@pytest.mark.parametrize("norb, nelec", SPACES)
@pytest.mark.parametrize("name", ["trans_rdm1s", "trans_rdm1", "trans_rdm12s", "trans_rdm12"])
def test_transition_densities(norb, nelec, name):
    _, _, bra, ket = problem(norb, nelec)
    expected = getattr(direct_spin1.FCISolver(), name)(bra, ket, norb, nelec)
    assert agree(getattr(FCISolver(), name)(bra, ket, norb, nelec), expected)


@pytest.mark.parametrize("norb, nelec", SPACES[:4])
def test_densities_that_are_not_ordered(norb, nelec):
    _, _, bra, ket = problem(norb, nelec)
    for name in ("make_rdm12s", "make_rdm12"):
        expected = getattr(direct_spin1.FCISolver(), name)(ket, norb, nelec, reorder=False)
        assert agree(getattr(FCISolver(), name)(ket, norb, nelec, reorder=False), expected)
    assert agree(
        FCISolver().trans_rdm12(bra, ket, norb, nelec, reorder=False),
        direct_spin1.FCISolver().trans_rdm12(bra, ket, norb, nelec, reorder=False),
    )
    assert agree(
        FCISolver().make_rdm123(ket, norb, nelec),
        direct_spin1.FCISolver().make_rdm123(ket, norb, nelec),
    )


@pytest.mark.parametrize("norb, nelec", SPACES)
def test_products(norb, nelec):
    h, g, bra, ket = problem(norb, nelec)
    ours, theirs = FCISolver(), direct_spin1.FCISolver()
    absorbed = ours.absorb_h1e(h[0], g[0], norb, nelec, 0.5)
    assert agree(absorbed, theirs.absorb_h1e(h[0], g[0], norb, nelec, 0.5))
    expected = theirs.contract_2e(absorbed, ket, norb, nelec)
    assert agree(ours.contract_2e(absorbed, ket, norb, nelec), expected)
    assert agree(ours.contract_2e(absorbed, ket.ravel(), norb, nelec), np.ravel(expected))
    both = ours.contract_2e(absorbed, ket + 2j * bra, norb, nelec)
    assert agree(both, theirs.contract_2e(absorbed, ket + 2j * bra, norb, nelec))
    assert agree(ours.contract_1e(h[0], ket, norb, nelec), theirs.contract_1e(h[0], ket, norb, nelec))
    assert ours.energy(h[0], g[0], ket, norb, nelec) == pytest.approx(np.vdot(ket, expected))
    hdiag = theirs.make_hdiag(h[0], g[0], norb, nelec)
    assert agree(ours.make_hdiag(h[0], g[0], norb, nelec), hdiag)
    assert agree(ours.pspace(h[0], g[0], norb, nelec), theirs.pspace(h[0], g[0], norb, nelec))
    assert agree(
        ours.get_init_guess(norb, nelec, 2, hdiag), theirs.get_init_guess(norb, nelec, 2, hdiag)
    )


def test_an_operator_is_kept_for_its_integrals_alone():
    h, g, _, ket = problem(4, (2, 2))
    solver = FCISolver()
    first = solver.contract_2e(g[0], ket, 4, 4)
    assert agree(solver.contract_2e(g[0], ket, 4, 4), first)
    changed = g[0] + 1
    solver.contract_2e(changed, ket, 4, 4)
    changed[0, 0] += 1  # in place, as callers do
    assert agree(solver.contract_2e(changed, ket, 4, 4), direct_spin1.contract_2e(changed, ket, 4, 4))
    other = problem(4, (3, 1))[3]
    assert agree(solver.contract_2e(g[0], other, 4, (3, 1)), direct_spin1.contract_2e(g[0], other, 4, (3, 1)))


def test_integrals_whose_electrons_differ():
    _, g, _, ket = problem(4, (2, 2))
    skew = g[1]  # (pq|rs) is not (rs|pq)
    assert agree(FCISolver().contract_2e(skew, ket, 4, 4), direct_spin1.contract_2e(skew, ket, 4, 4))


@pytest.mark.parametrize("norb, nelec", SPACES)
def test_products_of_unrestricted_integrals(norb, nelec):
    h, g, _, ket = problem(norb, nelec)
    ours, theirs = FCISolver(), direct_uhf.FCISolver()
    absorbed = ours.absorb_h1e(h, g, norb, nelec, 0.5)
    assert agree(absorbed, theirs.absorb_h1e(h, g, norb, nelec, 0.5))
    expected = theirs.contract_2e(absorbed, ket, norb, nelec)
    assert agree(ours.contract_2e(absorbed, ket, norb, nelec), expected)
    assert agree(ours.make_hdiag(h, g, norb, nelec), theirs.make_hdiag(h, g, norb, nelec))
    assert agree(ours.contract_1e(h, ket, norb, nelec), theirs.contract_1e(h, ket, norb, nelec))
    full = [ao2mo.restore(1, x, norb) for x in g]
    energy, ci = ours.kernel(tuple(h), tuple(full), norb, nelec)
    assert energy == pytest.approx(theirs.kernel(h, g, norb, nelec)[0], abs=1e-9)


@pytest.mark.parametrize("norb, nelec", SPACES)
def test_spins(norb, nelec):
    _, _, _, ket = problem(norb, nelec)
    ours, theirs = FCISolver(), direct_spin1.FCISolver()
    assert agree(ours.contract_ss(ket, norb, nelec), theirs.contract_ss(ket, norb, nelec))
    assert agree(ours.spin_square(ket, norb, nelec), theirs.spin_square(ket, norb, nelec))
    rotation, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(norb, norb)))
    orbitals = (np.eye(norb), rotation)
    expected = fci.spin_op.spin_square(ket, norb, nelec, orbitals)
    assert agree(ours.spin_square(ket, norb, nelec, orbitals), expected)


def test_the_rest_is_there():
    h, g, _, ket = problem(4, (2, 2))
    ours, theirs = FCISolver(), direct_spin1.FCISolver()
    ours.spin = theirs.spin = 2
    assert agree(ours.gen_linkstr(4, 4, tril=False), theirs.gen_linkstr(4, 4, tril=False))
    ours.spin = theirs.spin = None
    assert [len(links) for links in ours.gen_linkstr(4, 4)] == [6, 6]
    rotation, _ = np.linalg.qr(h[0])
    turned = theirs.transform_ci_for_orbital_rotation(ket, 4, 4, rotation)
    assert agree(ours.transform_ci_for_orbital_rotation(ket, 4, 4, rotation), turned)
    large = ours.large_ci(ket, 4, 4, 0.2)
    assert [entry[1:] for entry in large] == [entry[1:] for entry in theirs.large_ci(ket, 4, 4, 0.2)]
    assert ours.dump_flags() is ours and ours.nstates == 1
    ours.nstates = 3
    assert ours.nroots == 3
    assert isinstance(ours.view(direct_nosym.FCISolver), direct_nosym.FCISolver)
