"""PySCF's integrals as the core takes them, and the operators made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscf import ao2mo

from .. import _core
from ..errors import BadInputError

Floats = NDArray[np.float64]
Electrons = tuple[int, int]
Labels = Sequence[int] | NDArray[np.int64]  # irreps of orbitals

_ASYMMETRY = 1e-8  # relative to the largest integral; larger differences are not rounding
_FORBIDDEN = 1e-6  # a larger forbidden integral shows that the symmetry does not hold


def is_unrestricted(h1e: Any) -> bool:
    """Whether alpha and beta electrons have orbitals of their own."""
    return isinstance(h1e, (tuple, list)) or np.ndim(h1e) == 3


def require_real(*arrays: Any) -> None:
    if any(np.iscomplexobj(array) for array in arrays):
        raise NotImplementedError("complex integrals are not supported; expected real ones")


def _mean(matrix: Any, name: str) -> Floats:
    """Symmetrises the two triangles, which differ by rounding."""
    found = np.asarray(matrix, dtype=np.float64)
    apart = np.abs(found - found.T).max(initial=0.0)
    if apart > _ASYMMETRY * max(1.0, np.abs(found).max(initial=0.0)):
        raise BadInputError(
            f"{name} is not symmetric: elements and their transposed ones differ by up to {apart:.1e}; "
            "expected real symmetric integrals"
        )
    return np.ascontiguousarray((found + found.T) / 2)


def _pairs(eri: Any, norb: int) -> Floats:
    """(pq|rs) over pairs p >= q and r >= s."""
    pairs = norb * (norb + 1) // 2
    found = np.asarray(eri, dtype=np.float64)
    if found.size != pairs * pairs:
        found = ao2mo.restore(4, found, norb)
    return np.ascontiguousarray(found.reshape(pairs, pairs))


class Packed:
    """Integrals of one problem, symmetric to the last bit: one spin, or [a, b] and [aa, ab, bb]."""

    def __init__(self, h1e: Any, eri: Any, norb: int) -> None:
        if is_unrestricted(h1e):
            self.one = [_mean(part, "h1e") for part in h1e]
            same, mixed, other = (_pairs(part, norb) for part in eri)
            self.two = [_mean(same, "eri"), mixed, _mean(other, "eri")]
        else:
            self.one = [_mean(h1e, "h1e")]
            self.two = [_mean(_pairs(eri, norb), "eri")]
        self.norb = norb

    def drop_forbidden(self, labels: Labels) -> float:
        """Sets integrals that irreps forbid to zero; returns the largest of these."""
        label = np.asarray(labels)
        row, column = np.tril_indices(self.norb)
        pair = label[row] ^ label[column]
        largest = 0.0
        for held, keys in ((self.one, label), (self.two, pair)):
            for block in held:
                wrong = keys[:, None] != keys
                largest = max(largest, np.abs(block[wrong]).max(initial=0.0))
                block[wrong] = 0
        return largest

    def core_integrals(
        self, nelec: Electrons, core: float = 0.0, labels: Labels | None = None
    ) -> _core.Integrals:
        irreps = [] if labels is None else [int(label) + 1 for label in labels]
        first, second = self.one[0], self.two[0]
        head = (self.norb, *nelec, first, second, core, irreps)
        if len(self.one) == 1:
            return _core.integrals(*head)
        return _core.integrals(*head, self.one[1], self.two[2], self.two[1])


def breaks_symmetry(largest: float) -> bool:
    return largest > _FORBIDDEN


def from_products(eri: Any, norb: int) -> tuple[Any, Any] | None:
    """The integrals of sum eri_pqrs E_pq E_rs, as contract_2e means it.

    E_pq E_rs is the two-electron part and, where q = r, E_ps. None where the two electrons of eri
    differ: that operator is not symmetric.
    """
    unrestricted = isinstance(eri, (tuple, list))
    parts = [_pairs(part, norb) for part in (eri if unrestricted else [eri])]
    same = [parts[0], parts[2]] if unrestricted else parts
    scale = max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in same))
    if any(np.abs(part - part.T).max(initial=0.0) > 1e-11 * scale for part in same):
        return None
    one = [np.einsum("pqqs->ps", ao2mo.restore(1, part, norb)) for part in same]
    if not unrestricted:
        return one[0], 2 * parts[0]
    return (one[0], one[1]), tuple(2 * part for part in parts)


class KeptOperator:
    """The operator of the last product: callers multiply many vectors by the same integrals.

    Copies of a solver share it, and none of it is pickled.
    """

    def __init__(self) -> None:
        self._key: tuple[Any, ...] | None = None
        self._operator: _core.FullCI | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptOperator, ()

    def __deepcopy__(self, _memo: Any) -> KeptOperator:
        return KeptOperator()

    def of(self, eri: Any, norb: int, nelec: Electrons, **settings: Any) -> _core.FullCI | None:
        """None if its integrals make no symmetric operator."""
        blocks = list(eri) if isinstance(eri, (tuple, list)) else [eri]
        where = (norb, nelec, len(blocks), tuple(settings.items()))
        if self._key is not None and self._key[0] == where:
            if all(np.array_equal(old, new) for old, new in zip(self._key[1], blocks)):
                return self._operator
        given = from_products(eri, norb)
        self._operator = None
        if given is not None:
            integrals = Packed(*given, norb).core_integrals(nelec)
            self._operator = _core.FullCI(integrals, **settings)
        self._key = (where, [np.array(block) for block in blocks])
        return self._operator
