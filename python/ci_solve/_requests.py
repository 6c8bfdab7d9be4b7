"""Converts the user's arguments into a request of the program."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._libraries import prepare
from .errors import NoInputError, SolveWarning, UsageError

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Request = Mapping[str, Any] | str | os.PathLike[str]


def numbers(values: ArrayLike) -> Floats:
    """Contiguous float64; copied only if necessary."""
    found = np.asarray(values)
    if np.iscomplexobj(found):
        raise UsageError("complex numbers are not supported; expected real ones")
    return np.ascontiguousarray(found, dtype=np.float64)


def _warn_of_short(one_body: Any, two_body: Any) -> None:
    """Warns of integrals in single precision, which have only seven digits."""
    for name, given in (("one_body", one_body), ("two_body", two_body)):
        for part in given if isinstance(given, tuple) else (given,):
            kind = getattr(part, "dtype", None)
            if kind in (np.float32, np.float16):
                words = f"{name} holds numbers of {kind}, with {np.finfo(kind).precision} digits; so have the "
                words += "energies of these integrals; expected float64"
                warnings.warn(words, SolveWarning, stacklevel=5)
                break


def as_int(value: Any, name: str) -> int:
    """A whole number."""
    try:
        return index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected a whole number") from None


def energy(value: Any, name: str) -> float:
    """A real number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} is {value!r}; expected a number") from None


def counts_of(electrons: Any, name: str = "electrons") -> int | tuple[int, int]:
    """The number of electrons, or the numbers of alpha and beta electrons."""
    try:
        if isinstance(electrons, (str, bytes)):
            raise TypeError
        if not np.iterable(electrons):
            return index(electrons)
        alpha, beta = (index(number) for number in electrons)
        return alpha, beta
    except (TypeError, ValueError):
        raise UsageError(
            f"{name} is {electrons!r}; expected a whole number or (alpha, beta)"
        ) from None


def electrons_of(electrons: int | Sequence[int] | None, ms2: int | None) -> tuple[int, int]:
    """The numbers of alpha and beta electrons."""
    if electrons is None:
        raise UsageError("integrals are given without electrons; expected electrons=N or (alpha, beta)")
    count = counts_of(electrons)
    if isinstance(count, int):
        twice = count % 2 if ms2 is None else ms2
        if (count + twice) % 2 or abs(twice) > count:
            raise UsageError(
                f"{count} electrons cannot have ms2 = {twice}; expected both even or both odd, "
                "and ms2 no more than the electrons"
            )
        return (count + twice) // 2, (count - twice) // 2
    alpha, beta = count
    if ms2 not in (None, alpha - beta):
        raise UsageError(f"ms2 is {ms2}, but electrons are {alpha} alpha and {beta} beta; expected only one of them")
    return alpha, beta


def integrals_of(
    one_body: Any,
    two_body: Any,
    core: float,
    electrons: tuple[int, int],
    orbital_irreps: Sequence[int] | None,
    point_group: str | None = None,
) -> _core.Integrals:
    """Restricted integrals, or tuples (h of alpha, h of beta) and (aa, ab, bb) in PySCF's order."""
    _warn_of_short(one_body, two_body)
    irreps = [int(irrep) for irrep in orbital_irreps] if orbital_irreps is not None else []
    alpha, beta = electrons
    core = energy(core, "core")
    unrestricted = isinstance(one_body, tuple) or np.ndim(one_body) == 3
    first = numbers(one_body[0] if unrestricted else one_body)
    if first.ndim != 2 or first.shape[0] != first.shape[1]:
        raise UsageError(f"one_body has the shape {first.shape}; expected (orbitals, orbitals)")
    group = point_group or ""
    if not unrestricted:
        return _core.integrals(
            len(first), alpha, beta, first, numbers(two_body), core, irreps, point_group=group
        )
    if not isinstance(two_body, tuple) or len(two_body) != 3 or len(one_body) != 2:
        raise UsageError(
            "one_body has integrals of two spins; expected one_body=(alpha, beta) and two_body=(aa, ab, bb)"
        )
    same, mixed, other = (numbers(block) for block in two_body)
    return _core.integrals(
        len(first), alpha, beta, first, same, core, irreps, numbers(one_body[1]), other, mixed, group
    )


def words_of(strings: Any, name: str) -> Words:
    """Bit strings as rows of 64-bit words; arrays of words are not copied."""
    try:
        found = np.asarray(strings)
    except ValueError:
        raise UsageError(f"{name} are not an array; expected one integer for each string") from None
    if found.ndim == 2 and found.dtype == np.uint64:
        return np.ascontiguousarray(found)
    if found.ndim != 1:
        raise UsageError(
            f"{name} have the shape {found.shape}; expected one integer for each string, or rows of words of " "the type uint64"
        )
    if not len(found):
        raise UsageError(f"{name}: the list is empty; expected at least one entry")
    if found.dtype.kind == "O":
        return _words_of_large(found.tolist(), name)
    if found.dtype.kind not in "iu":
        raise UsageError(f"{name} have the type {found.dtype}; expected integers")
    if found.dtype.kind == "i" and found.min() < 0:
        place = int(np.argmax(found < 0))
        raise UsageError(f"{name}: index {place} is {found[place]}; expected no negative number")
    return np.ascontiguousarray(found, dtype=np.uint64).reshape(-1, 1)


def _words_of_large(values: list[Any], name: str) -> Words:
    """Words of Python integers."""
    found = [as_int(value, f"{name}: index {place}") for place, value in enumerate(values)]
    if (least := min(found)) < 0:
        raise UsageError(f"{name}: index {found.index(least)} is {least}; expected no negative number")
    words = max(1, (max(found).bit_length() + 63) // 64)
    packed = b"".join(value.to_bytes(8 * words, "little") for value in found)
    return np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, words)


def pair_of(given: Any, name: str) -> tuple[Words, Words]:
    """Alpha and beta strings."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or len(given) != 2:
        raise UsageError(f"{name} are not a pair; expected (alpha, beta), an array of integers for each")
    alpha, beta = given
    return words_of(alpha, "the given alpha strings"), words_of(beta, "the given beta strings")


def _is_text(request: str) -> bool:
    """Whether a text is YAML, or else the path of a file."""
    return "\n" in request or ": " in request or request.lstrip().startswith("{")


_BEGINNINGS = {b"&fci": "fcidump", b"$fci": "fcidump", b"%%matrixmarket": "matrix", b"pk\x03\x04": "matrix"}


def _problem_in(path: str) -> dict[str, Any] | None:
    """A request for a file without a configuration, recognised by its first bytes."""
    try:
        if not os.path.isfile(path):  # do not wait for a pipe
            return None
        with open(path, "rb") as file:
            begin = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    except OSError:  # the program reports it with its path
        return None
    for beginning, key in _BEGINNINGS.items():
        if begin.startswith(beginning):
            return {"problem": {key: path}}
    return None


def configuration_of(
    request: Request | None, keywords: Mapping[str, Any], integrals: _core.Integrals | None
) -> _core.Configuration:
    """The request with the keywords applied; those that are None are ignored."""
    prepare()
    given = [
        (key, json.dumps(value, default=_plain, ensure_ascii=False))
        for key, value in keywords.items()
        if value is not None
    ]
    if isinstance(request, os.PathLike) or (isinstance(request, str) and not _is_text(request)):
        if integrals is not None:
            raise UsageError("a file and integrals are both given; expected one of them, or a mapping of keys")
        path = os.fspath(request)
        if not os.path.lexists(path):
            raise NoInputError(
                f"{path}: the file does not exist; expected a configuration, or a FCIDUMP, Matrix Market "
                "or .npz file"
            )
        request = _problem_in(path)
        if request is None:
            return _core.configuration_of_file(path, given)
    text = request if isinstance(request, str) else _written(request or {})
    return _core.configuration_of_text(text, "the request", given, integrals)


def _written(request: Mapping[str, Any]) -> str:
    return json.dumps(dict(request), default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise UsageError(f"the request holds {value!r}; expected numbers, texts, lists and mappings")
