"""Linear molecules: irreps of D2h and C2v hold states of several angular momenta.

(E1x, E1y), (E2x, E2y), ... share irreps with one another and with the sigma ones. The component of
the irrep determines x or y and the parity; |L_z| is computed from the state itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscf import lib, symm
from pyscf.fci import direct_nosym
from pyscf.lib.exceptions import PointGroupSymmetryError
from pyscf.scf.hf_symm import map_degeneracy

GROUPS = ("Dooh", "Coov")

_WHOLE = 0.05  # how far from a whole number squared <L_z^2> of a state may be


def is_linear(solver: Any) -> bool:
    return getattr(solver.mol, "groupname", None) in GROUPS


def with_partners(orbsym: Any, h1e: Any) -> Any:
    """orbsym that knows the y orbital of each x orbital, as PySCF has it in ``degen_mapping``."""
    if not hasattr(orbsym, "degen_mapping"):
        orbsym = np.asarray(orbsym)
        orbsym = lib.tag_array(orbsym, degen_mapping=map_degeneracy(np.diagonal(h1e), orbsym))
    partners = np.asarray(orbsym.degen_mapping)
    if partners.max() >= len(partners) or np.any(partners[partners] != np.arange(len(partners))):
        raise PointGroupSymmetryError(
            f"orbitals lack their partners in orbsym = {orbsym}; expected both of each pair, "
            "or a molecule of a subgroup of D2h"
        )
    return orbsym


def momentum(irrep: int) -> int:
    """|L_z| of an irrep."""
    return abs(int(symm.basis.linearmole_irrep2momentum(irrep)))


class Turning:
    """i L_z among the orbitals of a molecule."""

    def __init__(self, orbsym: Any, norb: int, nelec: tuple[int, int]) -> None:
        self._norb, self._nelec = norb, nelec
        self._matrix = np.zeros((norb, norb))
        for x, y in enumerate(orbsym.degen_mapping):
            if x != y and int(orbsym[x]) % 10 in (0, 2, 5, 7):
                self._matrix[y, x] = momentum(int(orbsym[x]))
                self._matrix[x, y] = -self._matrix[y, x]

    def squares(self, vectors: Any) -> NDArray[np.float64]:
        """<L_z^2> of each vector."""
        found = []
        for vector in vectors:
            image = direct_nosym.contract_1e(
                self._matrix, np.ascontiguousarray(vector), self._norb, self._nelec
            )
            found.append(float(np.vdot(np.asarray(image), np.asarray(image))))
        return np.array(found)


def of_momentum(
    squares: NDArray[np.float64], wanted: int, converged: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """Which states have |L_z| = wanted; None if converged ones have none, as of orbitals that are
    not those of a linear molecule. One that has not converged may be a mixture, and then has none."""
    whole = np.round(np.sqrt(squares))
    is_whole = np.abs(squares - whole**2) <= _WHOLE * np.maximum(whole, 1)
    if np.any(converged & ~is_whole):
        return None
    fits: NDArray[np.bool_] = is_whole & np.equal(whole, wanted)
    return fits
