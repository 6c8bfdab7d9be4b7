"""Density matrices in PySCF's conventions: dm1[p,q] = <q+ p>, dm2[p,q,r,s] = <p+ r+ s q>."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core

Floats = NDArray[np.float64]


@lru_cache(maxsize=4)
def space_of(norb: int, nelec: tuple[int, int]) -> _core.FullSpace:
    return _core.FullSpace(norb, *nelec)


def vector_of(ci: Any, shape: tuple[int, int]) -> Floats:
    return np.ascontiguousarray(ci, dtype=np.float64).reshape(shape)


def one_particle(bra: Any, ket: Any, norb: int, nelec: tuple[int, int]) -> tuple[Floats, Floats]:
    space = space_of(norb, nelec)
    alpha, beta = space.rdm1(vector_of(bra, space.shape), vector_of(ket, space.shape))
    return np.ascontiguousarray(alpha.T), np.ascontiguousarray(beta.T)


def two_particle(
    bra: Any, ket: Any, norb: int, nelec: tuple[int, int]
) -> tuple[Floats, Floats, Floats]:
    """One state if both are the same object, else a transition density."""
    space = space_of(norb, nelec)
    left = vector_of(bra, space.shape)
    same, mixed, other = space.rdm2(left, None if ket is bra else vector_of(ket, space.shape))
    return same, mixed, other


def unordered(dm1: Floats, dm2: Floats) -> Floats:
    """<p+ q r+ s> instead of <p+ r+ s q>, for `reorder=False`."""
    found = dm2.copy()
    for k in range(len(dm1)):
        found[:, k, k, :] += dm1.T
    return found


def spin_squared(ci: Any, norb: int, nelec: tuple[int, int]) -> Floats:
    space = space_of(norb, nelec)
    return space.apply_s2(vector_of(ci, space.shape))


def with_spin(square: float) -> tuple[float, float]:
    """<S^2> and 2 S + 1."""
    return square, float(np.sqrt(4 * max(square, 0.0) + 1))
