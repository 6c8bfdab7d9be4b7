"""One-electron operators, and the moments and transitions of states that follow from them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._requests import numbers
from .errors import UsageError

Floats = NDArray[np.float64]

_ASYMMETRY = 1e-8  # relative to the largest element; larger differences are not rounding
_COMPONENTS = {1: ("value",), 3: ("x", "y", "z"), 6: ("xx", "xy", "xz", "yy", "yz", "zz")}
_ELECTRON_VOLT = 27.211386245988  # per Hartree
_NANOMETRE = 45.56335252912  # wavelength of one Hartree


@dataclass(frozen=True, eq=False)
class Operator:
    """A one-electron operator over the orbitals of the integrals, of one or more components.

    It is ``constants`` + sum over spins and p, q of ``matrices``[component, p, q] a+_p a_q:

    - ``matrices``: an array (components, n, n), or (n, n) of one component; of integrals with other
      orbitals for beta electrons a tuple (alpha, beta) of them. They are symmetric, or antisymmetric
      as those of d/dr and r x d/dr, which stand for -i times themselves
    - ``constants``: what nuclei and closed shells outside of the orbitals contribute; 0 without them,
      but a dipole must say it
    - ``components``: their names; ``x, y, z`` of three, ``xx, xy, xz, yy, yz, zz`` of six
    - ``unit``, ``origin`` (x, y, z in bohr) and ``origin_note`` are reported with the results; with
      ``core_charge``, the charge of nuclei and closed shells outside of the orbitals, so is that of
      the molecule

    Names with a meaning are ``dipole``, the electric dipole moment with -r of each electron, and
    ``velocity``, d/dr: oscillator strengths in length and velocity form are theirs.

    >>> import ci_solve
    >>> h, g = [[-1, -1], [-1, 1]], [4, 0, 0, 0, 0, 4]  # two electrons on two sites, one of them lower
    >>> where = ci_solve.Operator([[0, 0], [0, 1]], components=["x"], unit="lattice constants")
    >>> result = ci_solve.solve(h, g, electrons=2, states=2, operators={"where": where})
    >>> result.properties["where"].round(6).tolist()
    [[0.85294], [1.0]]
    """

    matrices: Any
    constants: ArrayLike | None = None
    components: Sequence[str] | None = None
    unit: str = "atomic units"
    origin: Sequence[float] | None = None
    origin_note: str = ""
    core_charge: float | None = None


def _stack(matrices: Any, name: str) -> Floats:
    """An array (components, n, n)."""
    found = numbers(matrices)
    if found.ndim == 2:
        found = found[None]
    if found.ndim != 3 or found.shape[1] != found.shape[2] or not len(found):
        raise UsageError(
            f"operators[{name!r}] has matrices of the shape {np.shape(matrices)}; expected (components, n, n)"
        )
    return found


def _is_antisymmetric(matrices: Floats) -> bool:
    """Whether the matrices are antisymmetric and not zero. The core refuses other asymmetric ones."""
    scale = np.abs(matrices).max(initial=0.0)
    return bool(scale > 0 and np.abs(matrices + matrices.transpose(0, 2, 1)).max() <= _ASYMMETRY * scale)


def operators_of(given: Mapping[str, Operator | ArrayLike]) -> _core.Operators:
    """The operators in the form of the core."""
    if not isinstance(given, Mapping):
        raise UsageError(f"operators is of the type {type(given).__name__}; expected a mapping of names to operators")
    found = _core.Operators()
    for name, value in given.items():
        one = value if isinstance(value, Operator) else Operator(value)
        by_spin = one.matrices if isinstance(one.matrices, tuple) else (one.matrices,)
        if len(by_spin) not in (1, 2):
            raise UsageError(f"operators[{name!r}] has {len(by_spin)} parts; expected (alpha, beta)")
        stacks = [_stack(part, name) for part in by_spin]
        count = len(stacks[0])
        if one.constants is None and name == "dipole":
            raise UsageError(
                "operators['dipole'] has no constants; expected Operator(matrices, constants) with what nuclei and "
                "closed shells outside of the orbitals contribute, as ci_solve.pyscf.from_scf gives it"
            )
        constants = np.zeros(count) if one.constants is None else numbers(one.constants).reshape(-1)
        names = one.components or _COMPONENTS.get(count) or [f"c{number}" for number in range(1, count + 1)]
        origin = None if one.origin is None else [float(place) for place in one.origin]
        if origin is not None and len(origin) != 3:
            raise UsageError(f"operators[{name!r}] has an origin of {len(origin)} numbers; expected x, y, z")
        found.add(
            str(name), [str(word) for word in names], one.unit, all(_is_antisymmetric(part) for part in stacks),
            constants.tolist(), stacks[0], stacks[1] if len(stacks) == 2 else None, origin, one.origin_note,
            None if one.core_charge is None else float(one.core_charge),
        )  # fmt: skip
    return found


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError as missing:
        raise UsageError("pandas is not installed; expected pip install pandas") from missing


class Properties(Mapping[str, Floats]):
    """Expectation values: of each operator an array (states, components)."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.operators: list[dict[str, Any]] = [
            one for one in record["operators"] if one["symmetry"] == "symmetric"
        ]
        """Name, components, unit, symmetry, origin and origin_note of each operator."""
        self.charge: float | None = record["charge"]
        """Of the molecule, where it is known; the dipole of an ion depends on the origin."""
        self._values: dict[str, Floats] = {
            one["name"]: np.array([state["properties"][k]["values"] for state in record["states"]])
            for k, one in enumerate(self.operators)
        }

    def __getitem__(self, name: str) -> Floats:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Properties({', '.join(f'{name}: {values.shape}' for name, values in self._values.items())})"

    def to_pandas(self) -> Any:
        """A row for each state, from 0; columns such as ``dipole_x``."""
        columns = {
            f"{one['name']}_{component}": self._values[one["name"]][:, c]
            for one in self.operators
            for c, component in enumerate(one["components"])
        }
        frame = _pandas().DataFrame(columns)
        frame.index.name = "state"
        return frame


class Transitions:
    """From the first state to each other one; energies in Hartree, moments in atomic units.

    Wave functions are real. ``moments[name]`` is <first|O|state>, an array (transitions, components),
    whose sign is that of ``Result.vectors``: it changes with the sign of either state. Of an
    antisymmetric operator <state|O|first> is the negative.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        found = record["transitions"]
        self.final: NDArray[np.int64] = np.array([one["to"] - 1 for one in found], dtype=np.int64)
        """The states that they lead to, counted from 0."""
        self.energies: Floats = np.array([one["energy"] for one in found], dtype=np.float64)
        """Of excitation."""
        self.operators: list[dict[str, Any]] = record["operators"]
        """Name, components, unit, symmetry, origin and origin_note of each operator."""
        self.moments: dict[str, Floats] = {
            one["name"]: np.array([each["moments"][k]["values"] for each in found], dtype=np.float64).reshape(
                len(found), len(one["components"])
            )
            for k, one in enumerate(self.operators)
        }
        self.oscillator_strengths: Floats = self._of(found, "oscillator_strength")
        """Length form, 2/3 dE |d|^2; NaN without a dipole."""
        self.oscillator_strengths_velocity: Floats = self._of(found, "oscillator_strength_velocity")
        """Velocity form, 2/(3 dE) |<d/dr>|^2; NaN without a velocity, and between states of one energy."""
        self.levels: list[dict[str, Any]] = record["levels"]
        """Where states share an energy: ``states`` (from 1) of each level, and strengths summed over them,
        averaged over those of the first level; they do not depend on how such states are combined."""

    @staticmethod
    def _of(found: list[dict[str, Any]], key: str) -> Floats:
        return np.array([np.nan if one[key] is None else one[key] for one in found], dtype=np.float64)

    @property
    def dipole(self) -> Floats:
        """Transition dipoles, (transitions, 3), in e a0."""
        if "dipole" not in self.moments:
            raise UsageError(f"no dipole among the operators {sorted(self.moments)}; expected one of this name")
        return self.moments["dipole"]

    def __len__(self) -> int:
        return len(self.final)

    def __repr__(self) -> str:
        return f"Transitions({len(self)} from state 0, {', '.join(self.moments)})"

    def to_pandas(self) -> Any:
        """A row for each transition, by the state that it leads to."""
        columns: dict[str, Any] = {
            "energy_hartree": self.energies,
            "energy_ev": _ELECTRON_VOLT * self.energies,
            "wavelength_nm": np.divide(
                _NANOMETRE, self.energies, out=np.full(len(self), np.inf), where=self.energies > 0
            ),
            "oscillator_strength": self.oscillator_strengths,
            "oscillator_strength_velocity": self.oscillator_strengths_velocity,
        }
        for one in self.operators:
            for c, component in enumerate(one["components"]):
                columns[f"{one['name']}_{component}"] = self.moments[one["name"]][:, c]
        pandas = _pandas()
        return pandas.DataFrame(columns, index=pandas.Index(self.final, name="state"))
