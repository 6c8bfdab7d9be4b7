"""The irrep and the spin that are requested from a solver of PySCF."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscf.fci import addons, direct_spin1_symm


def labels_of(orbsym: Any, norb: int) -> NDArray[np.int64] | None:
    """Irreps of D2h and its subgroups by exclusive or; those of linear molecules within D2h."""
    if orbsym is None or len(orbsym) != norb:
        return None
    return np.asarray(orbsym, dtype=np.int64) % 10


def irrep_of(solver: Any, norb: int, nelec: Any, ci0: Any, orbsym: Any, wfnsym: Any) -> int:
    """PySCF's number of the irrep: the one set, or that of `ci0`, or of the determinant of
    the lowest orbitals."""
    return int(direct_spin1_symm.guess_wfnsym(solver, norb, nelec, ci0, orbsym, wfnsym))


def guess_wfnsym(
    solver: Any, norb: int, nelec: Any, fcivec: Any, orbsym: Any, wfnsym: Any, **kwargs: Any
) -> Any:
    if orbsym is None:
        orbsym = solver.orbsym
    if orbsym is None:
        return 0 if wfnsym is None else wfnsym
    return direct_spin1_symm.guess_wfnsym(
        solver, norb, nelec, fcivec, np.asarray(orbsym), wfnsym, **kwargs
    )


def requested_spins(solver: Any, norb: int, nelec: tuple[int, int]) -> dict[str, Any]:
    """Keywords for the core: the spin S set by `fix_spin` or `total_spin`, else even spins or any."""
    one = _requested_spin(solver, norb, nelec)
    return {"spin": one, "even_spins": one is None and bool(solver.even_spins)}


def _requested_spin(solver: Any, norb: int, nelec: tuple[int, int]) -> float | None:
    """The requested total spin; None: any.

    `fix_spin` gives <S^2>, and the nearest spin is meant; without a number, the lowest.
    """
    lowest = abs(nelec[0] - nelec[1]) / 2
    if isinstance(solver, addons.SpinPenaltyFCISolver) and solver.ss_penalty:
        if solver.ss_value is None:
            return lowest
        highest = min(sum(nelec), 2 * norb - sum(nelec)) / 2
        spins = np.arange(lowest, highest + 0.5)
        return float(spins[np.argmin(np.abs(spins * (spins + 1) - solver.ss_value))])
    return None if solver.total_spin is None else float(solver.total_spin)
