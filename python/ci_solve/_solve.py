"""Runs a job with Python values as input and output."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, cast

from numpy.typing import ArrayLike

from . import _core
from ._requests import Request, configuration_of, counts_of, electrons_of, integrals_of, pair_of
from ._signatures import with_keywords
from .errors import Interrupted, UsageError, SolveWarning
from .orbitals import Orbitals, orbitals_of
from .progress import Progress, progress_callback
from .properties import operators_of
from .results import Result


class SolveOptions(TypedDict, total=False):
    """The keywords of a request, documented in ``solve``."""

    one_body: Any
    two_body: Any
    core: float
    electrons: int | Sequence[int] | None
    ms2: int | None
    orbital_irreps: Sequence[int] | None
    orbital_symmetries: str | None
    point_group: str | None
    determinants: Sequence[Any] | None
    strings: Sequence[Any] | None
    operators: Mapping[str, Any] | None
    orbitals: Orbitals | None
    states: int | None
    spin: float | None
    irrep: int | str | None
    tolerance: float | None
    backend: str | None
    threads: int | None
    memory: str | int | None


def request_of(request: Request | None, **given: Unpack[SolveOptions]) -> _core.Configuration:
    """A request of the program, read and checked."""
    if unknown := sorted(given.keys() - SolveOptions.__annotations__.keys()):
        raise TypeError(f"unknown keyword {unknown[0]!r}; expected {', '.join(SolveOptions.__annotations__)}")
    one_body, two_body = given.get("one_body"), given.get("two_body")
    core, orbital_irreps = given.get("core", 0.0), given.get("orbital_irreps")
    point_group = given.get("point_group")
    electrons, ms2 = given.get("electrons"), given.get("ms2")
    integrals = None
    space_electrons = None
    if one_body is not None or two_body is not None:
        if one_body is None or two_body is None:
            raise UsageError("only one of one_body and two_body is given; expected both")
        integrals = integrals_of(
            one_body, two_body, core, electrons_of(electrons, ms2), orbital_irreps, point_group
        )
        electrons = ms2 = None
    elif orbital_irreps is not None or point_group is not None or core != 0.0:
        raise UsageError(
            "core, orbital_irreps and point_group need integrals; expected one_body and two_body"
        )
    elif electrons is not None:
        counts = counts_of(electrons)
        electrons, space_electrons = (counts, None) if isinstance(counts, int) else (None, list(counts))
    determinants, strings = given.get("determinants"), given.get("strings")
    if determinants is not None and strings is not None:
        raise UsageError("determinants and strings are both given; expected one of them")
    is_list, is_product = determinants is not None, strings is not None
    keywords = {
        "problem.electrons": electrons,
        "problem.ms2": ms2,
        "problem.orbital_symmetries": given.get("orbital_symmetries"),
        "space.kind": "list" if is_list else "product" if is_product else None,
        "space.electrons": space_electrons,
        "space.spin": given.get("spin"),
        "space.irrep": given.get("irrep"),
        "solver.states": given.get("states"),
        "solver.tolerance": given.get("tolerance"),
        "backend": given.get("backend"),
        "threads": given.get("threads"),
        "memory": given.get("memory"),
    }
    configuration = configuration_of(request, keywords, integrals)
    if is_list:
        configuration.hold_determinants(*pair_of(determinants, "determinants"))
    if is_product:
        configuration.hold_strings(*pair_of(strings, "strings"))
    if operators := given.get("operators"):
        configuration.hold_operators(operators_of(operators))
    if (orbitals := given.get("orbitals")) is not None:
        _core.hold_orbitals(configuration, orbitals_of(orbitals))
    return configuration


def _with_integrals(
    request: Request | ArrayLike | None, further: tuple[ArrayLike, ...], given: SolveOptions
) -> Request | None:
    """The request; positional integrals are moved to ``one_body`` and ``two_body``."""
    is_request = request is None or isinstance(request, (Mapping, str, os.PathLike))
    if len(further) > 1:
        raise TypeError(
            f"{1 + len(further)} positional arguments were given; expected a request, or one_body and two_body"
        )
    if further:
        if is_request:
            raise TypeError("a request and another positional argument are given; expected one_body=, two_body=")
        if named := given.keys() & {"one_body", "two_body"}:
            raise TypeError(f"{sorted(named)[0]} is given twice, by position and by name")
        given["one_body"], given["two_body"] = request, further[0]
        return None
    if not is_request:
        raise UsageError(
            f"the request has the type {type(request).__name__}; expected a mapping, a path, YAML, or "
            "one_body and two_body"
        )
    return cast("Request | None", request)


def solve(
    request: Request | ArrayLike | None = None,
    *further: ArrayLike,
    start: _core.State | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    **given: Unpack[SolveOptions],
) -> Result:
    """Find, verify and describe the lowest states.

    ``request`` has the keys of a configuration file: a mapping, the path of a file, or YAML. The path of
    an FCIDUMP, Matrix Market or ``.npz`` file is also accepted; all keys then have their defaults.

    >>> import ci_solve
    >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
    >>> print(result.energies.round(6), result.verified)
    [-1.953145 -1.412899] True

    The problem may also be given in memory: ``one_body`` and ``two_body`` are integrals over real orbitals,
    (pq|rs) in chemists' order, over all four indices, over pairs of orbitals or over their triangle, as
    PySCF packs them; if beta orbitals differ, ``(alpha, beta)`` and ``(aa, ab, bb)``. ``request`` may
    still hold the other keys. Without a request, integrals may be positional: ``solve(h, g, ...)``.

    >>> h = [[0, -1], [-1, 0]]  # two electrons on two sites, with repulsion on each site
    >>> result = ci_solve.solve(one_body=h, two_body=[4, 0, 0, 0, 0, 4], electrons=2, states=3)
    >>> print(result.energies.round(6) + 0.0)
    [-0.828427  0.        4.      ]

    Keywords, which override the request:

    - ``electrons``, a number or (alpha, beta), and ``ms2``, twice the spin's projection
    - ``core``: the constant energy, such as that of nuclei and frozen orbitals
    - ``orbital_irreps``: the irreps of orbitals in memory, as in ORBSYM of an FCIDUMP file; without them
      they are derived from vanishing integrals
    - ``orbital_symmetries``: the numbering of these irreps, or of those of a file: ``"molpro"``, from 1, or
      ``"pyscf"``, from 0; and ``point_group``, such as ``"C2v"``, for orbitals in memory. With both,
      irreps have names, and ``irrep="B1"`` selects one by its name
    - ``determinants`` span the space: ``(alpha, beta)``, an array of integers for each, with bit p set if
      orbital p + 1 is occupied, as in ``Result.determinants``. ``strings`` has the same form, but each
      alpha string is combined with each beta string. From 64 orbitals on these are Python integers, or
      rows of 64-bit words (``uint64``), the lowest first
    - ``operators``, by name ``ci_solve.Operator`` or its matrices over the orbitals of the problem: the
      values of each state are ``Result.properties``, those between states ``Result.transitions``
    - ``orbitals``, ``ci_solve.Orbitals``: the orbitals of the problem over Gaussian basis functions, for
      ``Result.populations``, ``natural_orbitals_in_basis``, ``write_molden`` and ``write_cube``
    - ``states``, ``spin`` (S), ``irrep``, ``tolerance``, ``backend``, ``threads``, ``memory``: the keys
      of these names
    - ``progress``: True shows the progress, which is the default in a terminal or notebook; a function is
      called with each ``Progress`` and may stop the solution by returning False
    - ``start``: the ``state`` of an ``Interrupted`` solution, to continue it

    Ctrl-C raises ``Interrupted`` at the next iteration. States that did not converge, or failed their
    verification, are returned with a ``ci_solve.SolveWarning``.
    """
    if start is not None and not isinstance(start, _core.State):
        raise UsageError(
            f"start has the type {type(start).__name__}; expected the state of ci_solve.Interrupted"
        )
    named = _with_integrals(request, further, given)
    configuration = request_of(named, **given)
    callback, meter = progress_callback(progress)
    end = "failed"
    try:
        solution = _core.run(configuration, callback, start)
        end = "done" if solution.state is None else "interrupted"
    finally:
        if meter is not None:
            meter.close(end)
    if solution.state is not None:
        raise Interrupted(
            f"interrupted in iteration {solution.state.iterations}; continue with start=error.state",
            solution.state,
        )
    for text in solution.warnings:
        warnings.warn(text, SolveWarning, stacklevel=2)
    result = Result._of(solution)
    if result.exit_code != 0:
        words = ["some states are above the tolerance", solution.advice]
        if not result.verified:
            words = ["the verification failed"]
        warnings.warn("; ".join(filter(None, words)), SolveWarning, stacklevel=2)
    return result


with_keywords(solve, solve, SolveOptions, core=0.0)
