"""Orbitals over Gaussian basis functions, which a problem brings beside its integrals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._requests import as_int, numbers
from .errors import UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shell:
    """A contracted shell of Gaussian functions; see ``Orbitals``.

    - ``atom`` counts from 0; ``momentum`` is 0 for s, 1 for p and so on, up to 6
    - ``coefficients`` multiply Gaussians normalised to 1; each function of the shell is normalised to 1,
      so that their scale does not matter
    """

    atom: int
    momentum: int
    exponents: ArrayLike
    coefficients: ArrayLike


@dataclass(frozen=True, eq=False)
class Orbitals:
    """The orbitals of integrals over Gaussian basis functions, each of which is normalised to 1.

    Within a shell functions have PySCF's order: p functions x y z; spherical ones by m = -l .. l, of real
    solid harmonics; with ``cartesian`` x^a y^b z^c by falling a, then b.

    - ``orbitals``: functions by orbitals of the integrals; ``(alpha, beta)`` if these depend on spin
    - ``inactive``: likewise, of the doubly occupied orbitals that are part of ``core``
    - ``overlap`` of the functions, which has to be that of the basis; computed if it is not given
    - ``charges`` of nuclei, less the electrons that pseudopotentials replace; coordinates in bohr

    >>> import ci_solve
    >>> shells = [ci_solve.Shell(atom, 0, [1.0], [1.0]) for atom in (0, 1)]  # two s functions
    >>> basis = ci_solve.Orbitals([1, 1], [1.0, 1.0], [[0, 0, 0], [0, 0, 1e3]], shells, [[1, 0], [0, 1]])
    >>> h, g = [[0, -1], [-1, 0]], [4, 0, 0, 0, 0, 4]
    >>> result = ci_solve.solve(h, g, electrons=2, orbitals=basis)
    >>> abs(result.populations().mulliken_charges).round(6).tolist()
    [0.0, 0.0]
    """

    atomic_numbers: Sequence[int]
    charges: ArrayLike
    coordinates: ArrayLike
    shells: Sequence[Shell]
    orbitals: Any
    inactive: Any = None
    overlap: ArrayLike | None = None
    cartesian: bool = False


@dataclass(frozen=True, eq=False)
class Populations:
    """Charges and spins, alpha less beta electrons, of the atoms in one state; see ``Result.populations``."""

    mulliken_charges: Floats
    mulliken_spins: Floats
    loewdin_charges: Floats
    loewdin_spins: Floats


def _columns(values: Any, name: str) -> Floats:
    found = numbers(values)
    if found.ndim != 2:
        raise UsageError(f"{name} has the shape {found.shape}; expected (functions, orbitals)")
    return found


def _of_spins(values: Any, name: str) -> tuple[Floats | None, Floats | None]:
    """The alpha and the beta part; None if there is none."""
    if values is None:
        return None, None
    if not isinstance(values, tuple):
        return _columns(values, name), None
    if len(values) != 2:
        raise UsageError(f"{name} has {len(values)} parts; expected (alpha, beta)")
    return _columns(values[0], name), _columns(values[1], name)


def orbitals_of(given: Orbitals) -> _core.Orbitals:
    """The orbitals as the core takes them."""
    if not isinstance(given, Orbitals):
        raise UsageError(f"orbitals is of the type {type(given).__name__}; expected ci_solve.Orbitals")
    places, charges = numbers(given.coordinates), numbers(given.charges).reshape(-1)
    if places.ndim != 2 or places.shape != (len(given.atomic_numbers), 3) or len(charges) != len(places):
        raise UsageError(
            f"{len(given.atomic_numbers)} atomic numbers, {len(charges)} charges and coordinates of the shape "
            f"{places.shape}; expected as many, and coordinates (atoms, 3)"
        )
    found = _core.Orbitals(not given.cartesian)
    for number, charge, place in zip(given.atomic_numbers, charges, places):
        found.add_nucleus(as_int(number, "an atomic number"), float(charge), place.tolist())
    for shell in given.shells:
        found.add_shell(
            as_int(shell.atom, "the atom of a shell"), as_int(shell.momentum, "the momentum of a shell"),
            numbers(shell.exponents).reshape(-1).tolist(), numbers(shell.coefficients).reshape(-1).tolist(),
        )  # fmt: skip
    alpha, beta = _of_spins(given.orbitals, "orbitals.orbitals")
    if alpha is None:
        raise UsageError("orbitals.orbitals is None; expected (functions, orbitals)")
    overlap = None if given.overlap is None else _columns(given.overlap, "orbitals.overlap")
    found.set_orbitals(overlap, alpha, beta, *_of_spins(given.inactive, "orbitals.inactive"))
    return found
