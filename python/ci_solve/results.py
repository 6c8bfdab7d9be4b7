"""What a job has found."""

from __future__ import annotations

import html
import json
import os
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import BadInputError, NoInputError, UsageError

Floats = NDArray[np.float64]


class Result:
    """The states of a job, with all that is known of them.

    >>> import ci_solve
    >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
    >>> print(result)  # doctest: +ELLIPSIS
    state          energy  residual     <S^2>  irrep
        1     -1.95314531   ...e-1...  0.000000      -
        2     -1.41289870   ...e-1...  2.000000      -
    converged and verified
    """

    def __init__(self, record: dict[str, Any], arrays: dict[str, list[Floats]]) -> None:
        self.record = record
        """What the program writes as run.json."""
        self._arrays = arrays
        self._solution: _core.Solution | None = None

    @classmethod
    def _of(cls, solution: _core.Solution) -> Result:
        vectors = solution.vectors
        arrays = {
            "vectors": [] if vectors is None else [vectors],
            "one_particle": solution.one_particle,
            "two_particle": solution.two_particle,
            "transition": solution.transition,
        }
        result = cls(json.loads(solution.record), arrays)
        result._solution = solution
        return result

    def __getstate__(self) -> dict[str, Any]:
        """What ``save`` keeps: the solution itself stays with the process that found it."""
        return {**self.__dict__, "_solution": None}

    def _of_states(self, key: str) -> list[Any]:
        return [state[key] for state in self.record.get("states") or []]

    @property
    def energies(self) -> Floats:
        """Total energies in Hartree, ascending."""
        return np.array(self._of_states("energy"), dtype=np.float64)

    @property
    def residuals(self) -> Floats:
        """|H x - E x| of each state."""
        return np.array(self._of_states("residual"), dtype=np.float64)

    @property
    def error_bounds(self) -> Floats:
        """How far an energy may be from an eigenvalue, whatever else is in the spectrum."""
        return np.array(self._of_states("error_bound"), dtype=np.float64)

    @property
    def converged(self) -> list[bool]:
        """Of each state."""
        return self._of_states("converged")

    @property
    def verified(self) -> bool:
        """Whether the states passed their verification by a second operator."""
        return bool((self.record.get("verification") or {}).get("passed", False))

    @property
    def exit_code(self) -> int:
        """As the program ends: 0 converged and verified, 3 not converged, 4 verification failed."""
        if not self.verified:
            return 4
        return 0 if all(self.converged) else 3

    @property
    def s2(self) -> list[float | None]:
        """<S^2>; None where the integrals do not tell it."""
        return [state.get("s2") for state in self.record.get("states") or []]

    @property
    def irreps(self) -> list[int | None]:
        """The number of each state's irrep, from 1; None without symmetry."""
        return [state.get("irrep") for state in self.record.get("states") or []]

    @property
    def irrep_names(self) -> list[str | None]:
        """Its name, such as B1u; None where the point group is not known.

        Where ``record["problem"]["symmetry"]["assumed"]`` is true, nothing says whose numbers the
        orbital symmetries are: names and numbers are those of Molpro's, which is assumed.
        """
        return [state.get("irrep_name") for state in self.record.get("states") or []]

    @property
    def dominant(self) -> list[list[tuple[str, float]]]:
        """Of each state the determinants that weigh most, with their coefficients.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
        >>> sorted((text, round(abs(c), 4)) for text, c in result.dominant[0][:2])
        [('dudu', 0.4582), ('udud', 0.4582)]
        """
        return [
            [(one["determinant"], one["coefficient"]) for one in state.get("dominant") or []]
            for state in self.record.get("states") or []
        ]

    @property
    def vectors(self) -> Floats:
        """A column for each state, over the determinants in canonical order: a view."""
        if not self._arrays["vectors"]:
            raise UsageError("there are no vectors; expected solver.states above 0")
        return self._arrays["vectors"][0]

    def rdm1(self, state: int = 0) -> Floats:
        """<a+_p a_q> over the active orbitals as an array (2, p, q), alpha then beta: a view.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
        >>> round(float(result.rdm1()[0].trace()), 12)
        2.0
        """
        return self._density("one_particle", state, "one")

    def rdm2(self, state: int = 0) -> Floats:
        """<a+_p a+_r a_s a_q> summed over spins as an array (p, q, r, s): a view.

        It is kept where ``analysis: {densities: two}`` asks for it.
        """
        return self._density("two_particle", state, "two")

    def transition_rdm1(self, state: int) -> Floats:
        """<first state|a+_p a_q|state> as an array (2, p, q): a view."""
        if state == 0:
            return self.rdm1(0)
        return self._density("transition", state - 1, "one")

    def _density(self, kind: str, state: int, wanted: str) -> Floats:
        kept = self._arrays[kind]
        if not kept:
            raise UsageError(
                f"these density matrices were not kept; expected analysis: {{densities: {wanted}}}"
            )
        return kept[state]

    def to_html(self) -> str:
        """A page that needs no other file.

        >>> import ci_solve
        >>> ci_solve.solve({"problem": {"lattice": {"columns": 4}}}).to_html()[:15]
        '<!doctype html>'
        """
        return _core.html_report(self.record["problem"]["source"], json.dumps(self.record))

    def write(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Leaves results.h5 and run.json as the program does."""
        if self._solution is None:
            raise UsageError("a result that was loaded or pickled has no files to give; expected the one of solve()")
        self._solution.write(os.fspath(folder), overwrite)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the result in a file of NumPy (.npz), for ``load``.

        >>> import ci_solve, pathlib, tempfile
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "chain.npz"
        ...     result.save(path)
        ...     again = ci_solve.load(path)
        >>> again.record == result.record, (again.vectors == result.vectors).all()
        (True, np.True_)
        """
        text = np.frombuffer(json.dumps(self.record).encode(), dtype=np.uint8)
        arrays: dict[str, Any] = {
            f"{kind}.{number}": array
            for kind, several in self._arrays.items()
            for number, array in enumerate(several)
        }
        with open(path, "wb") as file:
            np.savez(file, record=text, **arrays)

    def __str__(self) -> str:
        rows = [f"{'state':>5} {'energy':>15} {'residual':>9} {'<S^2>':>9} {'irrep':>6}"]
        for number, cells in enumerate(self._cells(), 1):
            energy, residual, s2, irrep = cells
            rows.append(f"{number:5} {energy:>15} {residual:>9} {s2:>9} {irrep:>6}")
        return "\n".join([*rows, self._verdict()])

    __repr__ = __str__

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [
            (
                f"{state['energy']:.8f}",
                f"{state['residual']:.1e}",
                "-" if state.get("s2") is None else f"{abs(state['s2']):.6f}",
                f"{state.get('irrep_name') or state.get('irrep') or '-'}"
                f"{'?' if state.get('irrep_assumed') else ''}",
            )
            for state in self.record.get("states") or []
        ]

    def _verdict(self) -> str:
        words = {0: "converged and verified", 3: "not converged", 4: "not verified"}
        return words[self.exit_code]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{number}</td>"
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for number, cells in enumerate(self._cells(), 1)
        )
        heads = "".join(
            f"<th>{name}</th>" for name in ("state", "energy", "residual", "&lt;S^2&gt;", "irrep")
        )
        return f"<table><tr>{heads}</tr>{rows}</table><p>{html.escape(self._verdict())}</p>"


def load(path: str | os.PathLike[str]) -> Result:
    """A result that ``Result.save`` has kept; see there."""
    try:
        with np.load(path, allow_pickle=False) as file:
            record = json.loads(bytes(file["record"]).decode())
            arrays: dict[str, list[Floats]] = {
                kind: [file[name] for name in _numbered(file.files, kind)]
                for kind in ("vectors", "one_particle", "two_particle", "transition")
            }
    except FileNotFoundError as error:
        raise NoInputError(f"{os.fspath(path)}: no such file") from error
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise BadInputError(f"{os.fspath(path)}: no result of ci_solve: {error}") from error
    return Result(record, arrays)


def _numbered(names: list[str], kind: str) -> list[str]:
    count = sum(name.startswith(kind + ".") for name in names)
    return [f"{kind}.{number}" for number in range(count)]
