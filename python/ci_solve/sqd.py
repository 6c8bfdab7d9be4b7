"""Solver for qiskit-addon-sqd: the lowest state over the product of alpha and beta strings.

Use it as ``diagonalize_fermionic_hamiltonian(..., sci_solver=ci_solve.sqd.sci_solver)``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ._requests import as_int, counts_of, energy, pair_of
from ._signatures import with_keywords
from ._solve import solve
from .errors import ConfigurationError, SolveWarning, UsageError
from .progress import Progress
from .results import Result, whole_numbers

__all__ = ["SCIResult", "SCIState", "sci_solver", "solve_sci", "solve_sci_batch"]

Floats = NDArray[np.float64]
Pair = Sequence[Any]  # integers of alpha strings, integers of beta strings

_COUNTS = (1, 4, 16)  # numbers of lowest states among which one of the requested spin is searched
_PURE = 0.1  # of <S^2>: a singlet with 5 % of triplet differs by as much
_SAME = 1e-6  # between values of <S^2>


class Settings(TypedDict, total=False):
    """The solver keywords of ``ci_solve.solve``, and ``request`` for further keys."""

    request: Mapping[str, Any] | None
    tolerance: float | None
    backend: str | None
    threads: int | None
    memory: str | int | None
    progress: bool | Callable[[Progress], object] | None


@dataclass(frozen=True)
class SCIState:
    """The state of ``solve_sci``, used if qiskit-addon-sqd is not installed."""

    amplitudes: Floats
    ci_strs_a: NDArray[Any]
    ci_strs_b: NDArray[Any]
    norb: int
    nelec: tuple[int, int]


@dataclass(frozen=True)
class SCIResult:
    """The result of ``solve_sci``, used if qiskit-addon-sqd is not installed."""

    energy: float
    sci_state: SCIState
    orbital_occupancies: tuple[Floats, Floats]
    rdm1: Floats | None = None
    rdm2: Floats | None = None


@cache
def _classes() -> tuple[type[SCIResult], type[SCIState]]:
    """The classes of qiskit-addon-sqd if it is installed."""
    try:
        theirs = import_module("qiskit_addon_sqd.fermion")
        return theirs.SCIResult, theirs.SCIState
    except (ImportError, AttributeError):
        return SCIResult, SCIState


def _spins(norb: int, nelec: tuple[int, int], spin_sq: float) -> tuple[float, Floats]:
    """The requested spin, and <S^2> of all spins that these electrons can have."""
    total = sum(nelec)
    all_spins = np.arange(abs(nelec[0] - nelec[1]), min(total, 2 * norb - total) + 1, 2) / 2
    squares = all_spins * (all_spins + 1)
    fits = np.abs(squares - energy(spin_sq, "spin_sq")) < _SAME
    if not fits.any():
        known = ", ".join(f"{square:g}" for square in squares)
        raise UsageError(f"spin_sq is {spin_sq}; expected S (S + 1) of these electrons, one of {known}")
    return float(all_spins[fits][0]), squares


def _state_of_spin(run: Callable[..., Result], spin: float, squares: Floats, dimension: int) -> tuple[Result, int]:
    """A result, and the index of its state with the requested spin, or the nearest one."""
    try:
        return run(spin=spin, states=1), 0
    except ConfigurationError as error:  # the space is not closed under S^2, or has no such state
        if "space.spin: " not in str(error):
            raise
    wanted = spin * (spin + 1)
    others = squares[np.abs(squares - wanted) > _SAME]
    for count in _COUNTS:
        with warnings.catch_warnings():  # no warnings about states that are not returned
            warnings.simplefilter("ignore", SolveWarning)
            result = run(states=min(count, dimension))
        found = np.array(result.s2, dtype=np.float64)
        apart = np.abs(found - wanted)
        rest = np.abs(found[:, None] - others).min(axis=1, initial=np.inf)
        fits = np.flatnonzero(apart < rest - _SAME)
        if len(fits) or count >= dimension:
            break
    place = int(fits[0] if len(fits) else np.argmin(apart.round(6)))
    if not (result.verified and result.converged[place]):
        words = "the residual of the returned state is above the tolerance" if result.verified else "the verification failed"
        warnings.warn(words, SolveWarning, stacklevel=4)
    if apart[place] > _PURE:
        words = f"the returned state has <S^2> = {found[place]:.4f} instead of {wanted:g}; sought among the "
        words += f"{len(found)} lowest over these strings"
        warnings.warn(words, SolveWarning, stacklevel=4)
    return result, place


def _keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the request, checked as usual, with densities kept."""
    if unknown := sorted(settings.keys() - Settings.__annotations__.keys()):
        known = ", ".join(["spin_sq", *Settings.__annotations__])
        raise TypeError(f"unknown keyword {unknown[0]!r}; expected {known}")
    given = settings.get("request") or {}
    if not isinstance(given, Mapping):
        raise UsageError(f"request has the type {type(given).__name__}; expected a mapping of keys")
    if named := sorted(given.keys() & {"problem", "space"}):
        raise UsageError(f"the request names {named[0]}; expected a problem given only by integrals and strings")
    analysis = {"densities": "two", **(given.get("analysis") or {})}
    if analysis["densities"] not in ("one", "two"):
        raise UsageError(f"analysis.densities is {analysis['densities']!r}; expected one or two")
    return {**given, "analysis": analysis}


def _solved(
    pair: Pair, one_body: Any, two_body: Any, norb: int, nelec: Any, spin_sq: float | None, settings: Settings
) -> SCIResult:
    keys, norb, counts = _keys(settings), as_int(norb, "norb"), counts_of(nelec)
    if isinstance(counts, int):
        raise UsageError(f"nelec is {counts}; expected (alpha, beta)")
    if np.shape(one_body) != (norb, norb):
        raise UsageError(f"one_body_tensor has the shape {np.shape(one_body)}; expected ({norb}, {norb})")
    if len(pair) != 2:
        raise UsageError(f"{len(pair)} lists of strings were given; expected a pair (alpha, beta)")
    strings = pair_of(pair, "strings")
    shape = (len(strings[0]), len(strings[1]))
    keywords: dict[str, Any] = {"progress": False, **settings, "electrons": counts, "strings": strings}
    keywords["request"] = keys
    run: Callable[..., Result] = partial(solve, one_body=one_body, two_body=two_body, **keywords)
    of_spin = () if spin_sq is None else _spins(norb, counts, spin_sq)
    result, place = _state_of_spin(run, *of_spin, shape[0] * shape[1]) if of_spin else (run(states=1), 0)
    alpha, beta = result.rdm1(place)
    of_result, of_state = _classes()
    kept = [whole_numbers(words).astype(np.int64 if norb < 64 else object) for words in result._strings()]
    amplitudes = np.array(result.vectors[:, place]).reshape(shape)  # a view would keep the whole job in memory
    return of_result(
        energy=float(result.energies[place]),
        sci_state=of_state(amplitudes, kept[0], kept[1], norb, counts),
        orbital_occupancies=(np.array(alpha.diagonal()), np.array(beta.diagonal())),
        rdm1=alpha + beta,
        rdm2=np.array(result.rdm2(place)) if keys["analysis"]["densities"] == "two" else None,
    )


def solve_sci(
    ci_strings: Pair, one_body_tensor: Any, two_body_tensor: Any, norb: int, nelec: tuple[int, int],
    *, spin_sq: float | None = None, **settings: Unpack[Settings],
) -> SCIResult:  # fmt: skip
    """The lowest state over all pairs of an alpha and a beta string.

    ``ci_strings`` are the integers of alpha and of beta strings, in any order: bit p is set if orbital
    p is occupied. From 64 orbitals on they are Python integers, or rows of 64-bit words (``uint64``). ``two_body_tensor`` is (pq|rs).

    The result has ``energy``, without any core energy; ``sci_state``, whose ``amplitudes`` [i, j] belong to
    ``ci_strs_a[i]`` and ``ci_strs_b[j]``, ascending, alpha creators before beta ones; ``orbital_occupancies``
    of alpha and beta electrons; ``rdm1`` [p, q] and ``rdm2`` [p, q, r, s] = <p+ r+ s q>, summed over spins.
    Its classes are those of qiskit-addon-sqd if that is installed.

    ``spin_sq`` is S (S + 1) of the requested state. If the strings hold all spin couplings of each open
    shell, the lowest state of that spin is computed. Usually they do not; states then have no definite
    spin, and of the 1, 4 or 16 lowest the first is returned whose <S^2> is nearer to ``spin_sq`` than to
    that of any other spin, or else the nearest one. A ``ci_solve.SolveWarning`` reports a difference from
    ``spin_sq`` of more than 0.1. No penalty shifts any state.

    ``tolerance``, ``backend``, ``threads``, ``memory`` and ``progress`` are those of ``ci_solve.solve``, and
    ``request`` holds further keys; ``analysis: {densities: one}`` omits ``rdm2``.

    >>> from ci_solve.sqd import solve_sci
    >>> h, g = [[0, -1], [-1, 0]], [4, 0, 0, 0, 0, 4]
    >>> triplet = solve_sci(([1, 2], [1, 2]), h, g, 2, (1, 1), spin_sq=2, backend="openmp")
    >>> abs(round(triplet.energy, 6)), abs(triplet.sci_state.amplitudes.round(4)).tolist()
    (0.0, [[0.0, 0.7071], [0.7071, 0.0]])
    """
    return _solved(ci_strings, one_body_tensor, two_body_tensor, norb, nelec, spin_sq, settings)


def solve_sci_batch(
    ci_strings: Iterable[Pair], one_body_tensor: Any, two_body_tensor: Any, norb: int, nelec: tuple[int, int],
    *, spin_sq: float | None = None, **settings: Unpack[Settings],
) -> list[SCIResult]:  # fmt: skip
    """Results of ``solve_sci`` for several pairs, one after the other.

    >>> from ci_solve.sqd import solve_sci_batch
    >>> pairs = [([1], [2]), ([1, 2], [2]), ([1, 2], [1, 2])]
    >>> found = solve_sci_batch(pairs, [[0, -1], [-1, 0]], [4, 0, 0, 0, 0, 4], 2, (1, 1))
    >>> [round(one.energy, 6) + 0.0 for one in found]
    [0.0, -0.236068, -0.828427]
    """
    found = []
    for pair in ci_strings:  # a comprehension would add a frame, to which warnings would be attributed
        found.append(_solved(pair, one_body_tensor, two_body_tensor, norb, nelec, spin_sq, settings))
    return found


def sci_solver(*problem: Any, **settings: Any) -> Any:
    """The solver that ``diagonalize_fermionic_hamiltonian`` takes as ``sci_solver``.

    It is ``solve_sci_batch``; with keywords alone it returns that function with these settings.

    >>> from ci_solve.sqd import sci_solver
    >>> solver = sci_solver(spin_sq=0, tolerance=1e-9)
    >>> (found,) = solver([([1, 2], [1, 2])], [[0, -1], [-1, 0]], [4, 0, 0, 0, 0, 4], 2, (1, 1))
    >>> round(found.energy, 6)
    -0.828427
    """
    if problem or "ci_strings" in settings:
        return solve_sci_batch(*problem, **settings)
    _keys({key: value for key, value in settings.items() if key != "spin_sq"})
    return partial(solve_sci_batch, **settings)


for _function in (solve_sci, solve_sci_batch):
    with_keywords(_function, _function, Settings)
