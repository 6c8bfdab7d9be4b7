"""Translates calls of PySCF's FCI solver to the core, and the states back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyscf.lib import logger

from .. import _core
from ..errors import BadInputError
from . import _linear
from ._integrals import Packed, breaks_symmetry, is_unrestricted
from ._symmetry import irrep_of, labels_of, requested_spins

Floats = NDArray[np.float64]

# The residual is the square root of an error of energies for a gap of 1. Errors of densities are as
# large as the residual itself, and sufficiently converged vectors are not improved: hence the factor.
_RESIDUAL = 0.01
_LEAST_RESIDUAL = 1e-10
# Number of lowest determinants in the model space: PySCF calls the solver often, and building a larger
# block would take longer than the products that it saves.
_MODEL = 100


class NoDeterminants(BadInputError, RuntimeError):
    """The irrep has no determinants. A RuntimeError as in PySCF, whose solvers then lack a start vector."""


class Found(NamedTuple):
    energies: Floats
    vectors: Floats
    converged: list[bool]


class Search:
    """One call of a solver: its settings and arguments."""

    def __init__(
        self, solver: Any, h1e: Any, eri: Any, ci0: Any, wfnsym: Any, ecore: float
    ) -> None:
        self._solver = solver
        packed = Packed(h1e, eri, solver.norb)
        labels = labels_of(solver.orbsym, solver.norb) if solver.heeds_symmetry else None
        self._rotation: _linear.Turning | None = None
        irrep = None
        if labels is not None:
            irrep = self._irrep(h1e, ci0, wfnsym)
            largest = packed.drop_forbidden(labels)
            if breaks_symmetry(largest):
                logger.warn(solver, "integrals of up to %.1e that orbsym forbids are set to zero", largest)
        integrals = packed.core_integrals(solver.nelec, ecore, labels)
        self._operator = _operator(integrals, irrep, solver._settings())
        self._start = block_of(ci0, self._operator.shape)

    def _irrep(self, h1e: Any, ci0: Any, wfnsym: Any) -> int:
        solver = self._solver
        linear = _linear.is_linear(solver)
        if linear and not is_unrestricted(h1e):
            solver.orbsym = _linear.with_partners(solver.orbsym, h1e)
        wanted = solver.wfnsym if wfnsym is None else wfnsym
        irrep = irrep_of(solver, solver.norb, solver.nelec, ci0, solver.orbsym, wanted)
        if linear and hasattr(solver.orbsym, "degen_mapping"):
            self._momentum = _linear.momentum(irrep)
            self._rotation = _linear.Turning(solver.orbsym, solver.norb, solver.nelec)
        return irrep

    def lowest(
        self, count: int, tol: float | None, max_cycle: int | None, max_space: int | None
    ) -> Found:
        solver = self._solver
        residual = solver.conv_tol_residual
        if residual is None:
            residual = _RESIDUAL * np.sqrt(solver.conv_tol if tol is None else tol)
        how = {
            "tolerance": max(float(residual), _LEAST_RESIDUAL),
            **requested_spins(solver, solver.norb, solver.nelec),
            "max_iterations": solver.max_cycle if max_cycle is None else max_cycle,
            "subspace": solver.max_space if max_space is None else max_space,
        }
        count = min(count, self._operator.dimension)
        found = self._solve(count, self._start, how)
        return found if self._rotation is None else self._with_momentum(self._rotation, found, count, how)

    def _solve(self, count: int, start: Floats | None, how: dict[str, Any]) -> Found:
        """The states that the start vectors converge to if there are enough of them, else the lowest."""
        search = self._solver.search
        # A dense solution of few determinants is exact, but would return arbitrary degenerate states
        # instead of those that the start vectors select.
        dense = 0 if start is not None or self._solver.davidson_only else self._solver.pspace_size
        how = {**how, "dense": dense, "model": _MODEL}
        if search == "auto" and start is not None and len(start) >= count:
            search = "none"
        states = self._operator.solve(count, start=start, search=search, **how)
        self._solver.used_backend = self._operator.backend
        return Found(np.array(states.energies), states.vectors, list(states.converged))

    def _with_momentum(
        self, rotation: _linear.Turning, found: Found, count: int, how: dict[str, Any]
    ) -> Found:
        """States of the wanted angular momentum: more are computed until there are enough."""
        wanted = count
        few = self._operator.dimension <= self._solver.pspace_size
        while True:
            fits = _linear.of_momentum(
                rotation.squares(found.vectors), self._momentum, np.array(found.converged)
            )
            if fits is None:
                logger.warn(self._solver, "L_z of the states is not a whole number; irreps of D2h are used")
                return Found(
                    found.energies[:wanted], found.vectors[:wanted], found.converged[:wanted]
                )
            if fits.sum() >= wanted or count >= self._operator.dimension:
                break
            count = min(2 * count + 2, self._operator.dimension)
            found = self._solve(count, None if few else found.vectors, how)
        places = np.flatnonzero(fits)[:wanted]
        return Found(
            found.energies[places], found.vectors[places], [found.converged[k] for k in places]
        )


def _operator(integrals: Any, irrep: int | None, settings: dict[str, Any]) -> _core.FullCI:
    if irrep is None:
        return _core.FullCI(integrals, **settings)
    try:
        return _core.FullCI(integrals, irrep % 10 + 1, **settings)
    except BadInputError as error:
        if "determinant of irrep" not in str(error):
            raise
        raise NoDeterminants(str(error)) from None


def block_of(ci0: Any, shape: tuple[int, int]) -> Floats | None:
    """Contiguous start vectors; None if there are none."""
    if ci0 is None:
        return None
    vectors = [ci0] if isinstance(ci0, np.ndarray) and ci0.ndim < 3 else list(ci0)
    return np.array([np.asarray(v, dtype=np.float64).reshape(shape) for v in vectors])


def signed(vectors: Floats, ci0: Any) -> Floats:
    """With the sign of the start vector, or else the largest element positive."""
    start = block_of(ci0, vectors.shape[1:])
    for k, vector in enumerate(vectors):
        known = 0.0 if start is None or k >= len(start) else float(np.vdot(start[k], vector))
        if abs(known) < 0.1:
            known = vector.flat[np.argmax(np.abs(vector))]
        if known < 0:
            vector *= -1
    return vectors
