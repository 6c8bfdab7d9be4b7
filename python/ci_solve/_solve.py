"""A job from Python's values to Python's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._requests import Request, configuration_of, electrons_of, integrals_of
from .errors import Interrupted, UsageError
from .results import Result


def solve(
    request: Request | None = None,
    *,
    one_body: Any = None,
    two_body: Any = None,
    core: float = 0.0,
    electrons: int | Sequence[int] | None = None,
    ms2: int | None = None,
    orbital_irreps: Sequence[int] | None = None,
    states: int | None = None,
    spin: float | None = None,
    irrep: int | None = None,
    tolerance: float | None = None,
    backend: str | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    start: _core.State | None = None,
) -> Result:
    """The lowest states of what is asked for, verified and described.

    ``request`` has the keys of a configuration file: a mapping, the path of a file, or YAML. With
    ``one_body`` and ``two_body``, which are integrals over real orbitals in chemists' order, its
    problem is in memory, and it may be left out.
    """
    integrals = None
    if one_body is not None or two_body is not None:
        if one_body is None or two_body is None:
            raise UsageError("integrals of one kind alone; expected one_body and two_body")
        integrals = integrals_of(
            one_body, two_body, core, electrons_of(electrons, ms2), orbital_irreps
        )
        electrons = ms2 = None
    keywords = {
        "problem.electrons": electrons,
        "problem.ms2": ms2,
        "solver.states": states,
        "space.spin": spin,
        "space.irrep": irrep,
        "solver.tolerance": tolerance,
        "backend": backend,
        "threads": threads,
        "memory": memory,
    }
    configuration = configuration_of(request, keywords, integrals)
    solution = _core.run(configuration, None, start)
    if solution.state is not None:
        raise Interrupted("interrupted; error.state keeps what was reached", solution.state)
    return Result(solution)
