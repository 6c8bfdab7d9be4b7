"""Results of a job."""

from __future__ import annotations

import html
import json
import operator
import os
import warnings
import zipfile
import zlib
from operator import index
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import BadInputError, NoInputError, SolveWarning, UsageError
from .orbitals import Populations
from .properties import Properties, Transitions

Floats = NDArray[np.float64]
Strings = NDArray[Any]  # bit strings: int64, or Python's integers from 64 orbitals on

_KINDS = (
    "vectors", "one_particle", "two_particle", "transition", "natural_orbitals", "natural_occupations",
    "determinants", "entropies", "mutual_information",
    "transition_weights", "transition_holes", "transition_particles",
    "level_hole_weights", "level_particle_weights", "level_holes", "level_particles", "levels",
    "dyson_orbitals", "dyson_energies",
)  # fmt: skip


class TransitionOrbitals(NamedTuple):
    """Natural transition orbitals from the first state to another one, over the active orbitals.

    With s = sqrt(weights[spin]) the transition density of a spin is holes[spin] @ diag(s) @ particles[spin].T.
    """

    weights: Floats
    """Squared singular values (2, n), the largest first; alpha, then beta."""
    holes: Floats
    """Orbitals of the first state as columns: an array (2, n, n)."""
    particles: Floats
    """Orbitals of the other state, likewise."""

    @property
    def participation(self) -> Floats:
        """(sum w)^2 / sum w^2 of each spin: the number of pairs that share the weight; 0 without weight."""
        return _participation(self.weights)


class LevelOrbitals(NamedTuple):
    """Transition orbitals of all states of one energy together, over the active orbitals.

    Sums over the states of the level, averaged over the states of the first level: they do not depend on how
    states of one energy are combined. Holes and particles have weights of their own.
    """

    hole_weights: Floats
    holes: Floats
    particle_weights: Floats
    particles: Floats


class Dyson(NamedTuple):
    """Dyson orbitals <fewer|a_q|more> between each state of a job and each of another one."""

    energies: Floats
    """E(fewer electrons) - E(more) in Hartree, an array (states, other states): ionisation energies, or
    electron affinities if the other job has one electron more."""
    orbitals: Floats
    """An array (states, other states, orbitals of the problem)."""

    @property
    def pole_strengths(self) -> Floats:
        """The squared norm of each orbital."""
        squares: Floats = (self.orbitals**2).sum(axis=-1)
        return squares


def _participation(weights: Floats) -> Floats:
    squares: Floats = (weights**2).sum(axis=-1)
    found: Floats = np.zeros_like(squares)
    np.divide(weights.sum(axis=-1) ** 2, squares, out=found, where=squares > 0)
    return found


class Result:
    """The states of a job and their properties.

    >>> import ci_solve
    >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
    >>> print(result)  # doctest: +ELLIPSIS
    state          energy  residual     <S^2>  irrep
        1     -1.95314531   ...e-1...  0.000000      -
        2     -1.41289870   ...e-1...  2.000000      -
    converged and verified

    It is a sequence of states, each a mapping as in run.json:

    >>> len(result), round(result[1]["s2"], 6)
    (2, 2.0)
    """

    def __init__(self, record: dict[str, Any], arrays: dict[str, list[Floats]]) -> None:
        self.record = record
        """The content of run.json."""
        self._arrays: dict[str, list[NDArray[Any]]] = {**arrays}  # floats, and strings of determinants
        self._solution: _core.Solution | None = None

    @classmethod
    def _of(cls, solution: _core.Solution) -> Result:
        vectors = solution.vectors
        signs = solution.signs
        if vectors is not None and signs is not None:  # otherwise they are a view
            vectors = vectors * signs
        arrays = {
            "vectors": [] if vectors is None else [vectors],
            "one_particle": solution.one_particle,
            "two_particle": solution.two_particle,
            "transition": solution.transition,
            "natural_orbitals": solution.natural_orbitals,
            "natural_occupations": solution.natural_occupations,
            "entropies": solution.entropies,
            "mutual_information": solution.mutual_information,
            "transition_weights": solution.transition_weights,
            "transition_holes": solution.transition_holes,
            "transition_particles": solution.transition_particles,
            "level_hole_weights": solution.level_hole_weights,
            "level_particle_weights": solution.level_particle_weights,
            "level_holes": solution.level_holes,
            "level_particles": solution.level_particles,
            "levels": [np.array(level) for level in solution.levels],
            "dyson_orbitals": solution.dyson_orbitals,
            "dyson_energies": [np.array(solution.dyson_energies)] if solution.dyson_energies else [],
        }
        result = cls(json.loads(solution.record), arrays)
        result._solution = solution
        return result

    def __getstate__(self) -> dict[str, Any]:
        """The data that ``save`` stores; the solution itself stays in the process that found it."""
        self._strings()
        return {**self.__dict__, "_solution": None}

    @overload
    def __getitem__(self, state: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, state: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, state: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        found: dict[str, Any] | list[dict[str, Any]] = self._states()[state]
        return found

    def __len__(self) -> int:
        return len(self._states())

    def __bool__(self) -> bool:
        return True

    def _states(self) -> list[dict[str, Any]]:
        return self.record.get("states") or []

    def _of_states(self, key: str) -> list[Any]:
        return [state[key] for state in self.record.get("states") or []]

    @property
    def energies(self) -> Floats:
        """Total energies in Hartree, ascending."""
        return np.array(self._of_states("energy"), dtype=np.float64)

    @property
    def excitations_ev(self) -> list[float | None]:
        """Energies above the first state in eV (CODATA 2018); None if energies are not in Hartree.

        >>> import ci_solve
        >>> ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2).excitations_ev
        [None, None]
        """
        return [state.get("excitation_ev") for state in self.record.get("states") or []]

    @property
    def configurations(self) -> list[list[tuple[str, float]]]:
        """Of each state the leading configurations, as excitations between named orbitals, with their weights.

        ``record["configurations_from"]`` has the determinant and the orbitals that the names refer to.
        """
        return [
            [(one["excitation"], one["weight"]) for one in state.get("configurations") or []]
            for state in self.record.get("states") or []
        ]

    @property
    def residuals(self) -> Floats:
        """|H x - E x| of each state."""
        return np.array(self._of_states("residual"), dtype=np.float64)

    @property
    def error_bounds(self) -> Floats:
        """Rigorous bound of the distance from each energy to the nearest eigenvalue."""
        return np.array(self._of_states("error_bound"), dtype=np.float64)

    @property
    def converged(self) -> list[bool]:
        """Whether each state converged."""
        return self._of_states("converged")

    @property
    def verified(self) -> bool:
        """Whether the states passed their verification by a second operator."""
        return bool((self.record.get("verification") or {}).get("passed", False))

    @property
    def exit_code(self) -> int:
        """The exit code of the program: 0 converged and verified, 3 not converged, 4 verification failed."""
        if not self.verified:
            return 4
        return 0 if all(self.converged) else 3

    @property
    def s2(self) -> list[float | None]:
        """<S^2>; None if it is not defined for the integrals."""
        return [state.get("s2") for state in self.record.get("states") or []]

    @property
    def irreps(self) -> list[int | None]:
        """The number of each state's irrep, from 1; None without symmetry."""
        return [state.get("irrep") for state in self.record.get("states") or []]

    @property
    def irrep_names(self) -> list[str | None]:
        """The name of each state's irrep, such as B1u; None if the point group is unknown.

        If ``record["problem"]["symmetry"]["assumed"]`` is true, the numbering of orbital symmetries is
        unknown, and Molpro's is assumed for names and numbers.
        """
        return [state.get("irrep_name") for state in self.record.get("states") or []]

    @property
    def dominant(self) -> list[list[tuple[str, float]]]:
        """The dominant determinants of each state with their coefficients.

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
        """Vectors as columns, a view; rows belong to ``determinants`` in canonical order.

        Their signs are those of determinants whose creators ascend over all orbitals, as in results.h5; where
        frozen orbitals stand between active ones that takes a copy.
        """
        if not self._arrays.get("vectors"):
            raise UsageError("the result has no vectors; expected solver.states above 0 and a result that keeps them")
        return self._arrays["vectors"][0]

    @property
    def determinants(self) -> tuple[Strings, Strings]:
        """The alpha and the beta bit string of each row of ``vectors``, over all orbitals of the problem.

        Bit 0 is orbital 1; frozen orbitals are occupied. From 64 orbitals on they are integers of Python.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 2}}})
        >>> alpha, beta = result.determinants
        >>> alpha.tolist(), beta.tolist()
        ([1, 1, 2, 2], [1, 2, 1, 2])
        """
        if not (found := self._strings()):
            raise UsageError(
                "the result has no determinants: its vectors belong to a matrix or to spins, or were not kept"
            )
        alpha, beta = found
        rows = self.record["space"]["dimension"]
        if len(alpha) != rows or len(beta) != rows:  # every alpha string with every beta string
            alpha, beta = np.repeat(alpha, len(beta), axis=0), np.tile(beta, (len(alpha), 1))
        return whole_numbers(alpha), whole_numbers(beta)

    def _strings(self) -> list[NDArray[np.int64]]:
        """Words of alpha and beta strings, of a product one for each string; none without determinants."""
        if "determinants" not in self._arrays:
            found = None if self._solution is None else self._solution.determinants
            self._arrays["determinants"] = [] if found is None else list(found)
        return self._arrays["determinants"]

    def rdm1(self, state: int = 0) -> Floats:
        """<a+_p a_q> over the active orbitals as an array (2, p, q), alpha then beta: a view.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
        >>> round(float(result.rdm1()[0].trace()), 12)
        2.0
        """
        return self._density("one_particle", self._index(state), "one")

    def rdm2(self, state: int = 0) -> Floats:
        """<a+_p a+_r a_s a_q> summed over spins as an array (p, q, r, s): a view.

        Available with ``analysis: {densities: two}``.
        """
        return self._density("two_particle", self._index(state), "two")

    def transition_rdm1(self, bra: int, ket: int | None = None) -> Floats:
        """<bra|a+_p a_q|ket> as an array (2, p, q); with one argument, from the first state to that one.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=3)
        >>> (result.transition_rdm1(2, 1) == result.transition_rdm1(1, 2).transpose(0, 2, 1)).all()
        np.True_
        """
        first, second = (0, self._index(bra)) if ket is None else (self._index(bra), self._index(ket))
        if first == second:
            return self.rdm1(first)
        if first == 0:
            return self._density("transition", second - 1, "one")
        if first > second:
            return self.transition_rdm1(second, first).transpose(0, 2, 1)
        if self._solution is None:
            raise UsageError(
                f"a loaded or pickled result keeps only transitions from state 0, not from "
                f"state {first}; expected a result of solve()"
            )
        return self._solution.transition_density(first, second)

    @property
    def properties(self) -> Properties:
        """Expectation values of the operators given: by name an array (states, components).

        >>> import ci_solve
        >>> h, g = [[0, -1], [-1, 0]], [4, 0, 0, 0, 0, 4]  # two electrons on two sites, 1 and -1 on an axis
        >>> where = ci_solve.Operator([[1, 0], [0, -1]])
        >>> result = ci_solve.solve(h, g, electrons=2, states=3, operators={"where": where})
        >>> (abs(result.properties["where"]) < 1e-9).all(), result.transitions.moments["where"].shape
        (np.True_, (2, 1))
        """
        return Properties(self._with_properties())

    @property
    def transitions(self) -> Transitions:
        """Transition moments and oscillator strengths from the first state to each other one."""
        return Transitions(self._with_properties())

    def _with_properties(self) -> dict[str, Any]:
        states = self.record.get("states")
        if self.record.get("operators") and states and "properties" in states[0]:
            return self.record
        reason = self.record.get("properties_note")
        raise UsageError(
            f"no properties were computed{': ' + reason if reason else ''}; expected operators=, 'problem.operators: "
            "FILE.h5' or the keywords of ci_solve.pyscf.from_scf, and run.json beside results that were loaded"
        )

    def _index(self, state: int) -> int:
        """Index of a state from 0; negative numbers count from the end."""
        states = len(self.record.get("states") or [])
        number = operator.index(state)
        if not -states <= number < states:
            raise UsageError(f"state {number}; expected {-states} to {states - 1}")
        return number % states

    def natural_orbitals(self, state: int = 0) -> tuple[Floats, Floats]:
        """Occupations in descending order, and natural orbitals as columns over the active orbitals: views.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
        >>> occupations, orbitals = result.natural_orbitals()
        >>> density = result.rdm1().sum(axis=0)
        >>> bool((abs(density @ orbitals - orbitals * occupations) < 1e-9).all())
        True
        """
        kept = self._arrays.get("natural_orbitals")
        if not kept:
            raise UsageError(
                "no natural orbitals were saved; expected analysis: {densities: one}, and orbitals that alpha and "
                "beta electrons share"
            )
        place = index(state)
        if not 0 <= place < len(kept):
            raise UsageError(f"state {place}; expected 0 to {len(kept) - 1}")
        return self._arrays["natural_occupations"][place], kept[place].T

    def _in_basis(self) -> _core.Solution:
        if self._solution is None:
            raise UsageError(
                "a loaded or pickled result has no basis functions; expected a result of solve(), or the groups "
                "/basis and /populations of results.h5"
            )
        return self._solution

    def populations(self, state: int = 0) -> Populations:
        """Mulliken and Loewdin charges and spin populations of the atoms.

        Of a loaded result they are there if ``analysis: {properties: [populations]}`` asked for them.
        """
        place = self._index(state)
        if found := self._states()[place].get("populations"):
            return Populations(*(np.array(found[kind][part]) for kind in found for part in ("charges", "spins")))
        return Populations(*_core.populations(self._in_basis(), place))

    def density_in_basis(self, state: int = 0) -> Floats:
        """Density matrices of alpha and beta electrons over the basis functions, an array (2, f, f).

        Inactive and frozen orbitals are included; alpha less beta is the spin density.
        """
        return np.array(_core.density_in_basis(self._in_basis(), self._index(state)))

    def natural_orbitals_in_basis(self, state: int = 0) -> tuple[Floats, Floats]:
        """Occupations in descending order, and natural orbitals as columns over the basis functions.

        They are those of the whole molecule: inactive and frozen ones with 2 come first. They are defined for
        spin-dependent orbitals, too.
        """
        occupations, orbitals = _core.natural_orbitals_in_basis(self._in_basis(), self._index(state))
        return occupations, orbitals

    def write_molden(
        self, path: str | os.PathLike[str], state: int | None = None, overwrite: bool = False
    ) -> None:
        """Writes a Molden file: the orbitals of the problem, or the natural orbitals of a state."""
        place = None if state is None else self._index(state)
        _core.write_molden(self._in_basis(), os.fspath(path), place, overwrite)

    def write_cube(
        self,
        path: str | os.PathLike[str],
        contents: str = "density",
        state: int = 0,
        *,
        spacing: float = 0.2,
        margin: float = 5.0,
        overwrite: bool = False,
    ) -> None:
        """Writes a cube file of a state's ``density``, ``spin_density`` or natural orbital, ``natural_5``, or of
        an orbital of the problem, ``orbital_5`` or ``beta_orbital_5``; orbitals count from 1.

        The grid has points at the distance ``spacing`` and reaches ``margin`` beyond the nuclei, in bohr.
        """
        _core.write_cube(
            self._in_basis(), os.fspath(path), contents, self._index(state), spacing, margin, overwrite
        )

    def entropies(self, state: int = 0) -> Floats:
        """The entropy of each active orbital, -sum w ln w over the weights of its four occupations: a view.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 2}}, "analysis": {"entropies": "all"}})
        >>> result.entropies().round(6).tolist()
        [1.109643, 1.109643]
        """
        return self._entropy("entropies", state)

    def mutual_information(self, state: int = 0) -> Floats:
        """I_ij = S_i + S_j - S_ij of each pair of active orbitals, without a factor 1/2: a view.

        >>> import ci_solve
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 2}}, "analysis": {"entropies": "all"}})
        >>> result.mutual_information().round(6).tolist()
        [[0.0, 2.219285], [2.219285, 0.0]]
        """
        return self._entropy("mutual_information", state)

    def transition_orbitals(self, state: int) -> TransitionOrbitals:
        """Natural transition orbitals from the first state to ``state``: weights, holes and particles, views.

        >>> import ci_solve
        >>> request = {"problem": {"lattice": {"columns": 4}}, "analysis": {"orbitals": "transition"}}
        >>> result = ci_solve.solve(request, states=2)
        >>> weights, holes, particles = result.transition_orbitals(1)
        >>> density = holes[0] * weights[0] ** 0.5 @ particles[0].T
        >>> bool((abs(density - result.transition_rdm1(1)[0]) < 1e-9).all())
        True
        """
        place = self._index(state)
        kept = self._arrays.get("transition_weights")
        if not kept or place == 0:
            raise UsageError(
                "there are no transition orbitals of this state; expected analysis: {orbitals: transition} and a "
                "state after the first"
            )
        holes, particles = (self._arrays[f"transition_{kind}"][place - 1] for kind in ("holes", "particles"))
        return TransitionOrbitals(kept[place - 1], holes.transpose(0, 2, 1), particles.transpose(0, 2, 1))

    def level_orbitals(self, state: int) -> LevelOrbitals:
        """Transition orbitals of all states of the energy of ``state`` together: views.

        They are there if some states share an energy.
        """
        place = self._index(state) + 1
        for number, (first, states) in enumerate(self._arrays.get("levels", ())):
            if first <= place < first + states:
                found = [self._arrays[f"level_{kind}"][number] for kind in
                         ("hole_weights", "holes", "particle_weights", "particles")]  # fmt: skip
                return LevelOrbitals(found[0], found[1].transpose(0, 2, 1), found[2], found[3].transpose(0, 2, 1))
        raise UsageError(
            "there are no transition orbitals of the level of this state; expected analysis: {orbitals: transition}, "
            "states that share an energy, and a level after the first"
        )

    def dyson(self) -> Dyson:
        """Dyson orbitals between the states of this job and those of ``analysis: {dyson: results.h5}``.

        >>> import ci_solve, numpy as np, tempfile
        >>> integrals = {"one_body": np.diag([-2.0, -1.0]), "two_body": np.full((2, 2, 2, 2), 0.1)}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ci_solve.solve(**integrals, electrons=(1, 0)).write(folder)
        ...     result = ci_solve.solve({"analysis": {"dyson": f"{folder}/results.h5"}}, **integrals, electrons=(1, 1))
        >>> result.dyson().pole_strengths.shape, result.record["dyson"]["spin"]
        ((1, 1), 'beta')
        """
        kept = self._arrays.get("dyson_orbitals")
        if not kept:
            raise UsageError("no Dyson orbitals were computed; expected analysis: {dyson: results.h5 of another job}")
        orbitals = np.stack(kept)
        return Dyson(self._arrays["dyson_energies"][0].reshape(orbitals.shape[:2]), orbitals)

    def _entropy(self, kind: str, state: int) -> Floats:
        place = self._index(state)
        kept = self._arrays.get(kind)
        if not kept:
            raise UsageError("no entropies were computed; expected analysis: {entropies: all}")
        return kept[place]

    def _density(self, kind: str, state: int, wanted: str) -> Floats:
        kept = self._arrays.get(kind)
        if not kept:
            raise UsageError(
                f"these density matrices were not saved; expected analysis: {{densities: {wanted}}}"
            )
        return kept[state]

    def to_html(self) -> str:
        """A self-contained HTML page.

        >>> import ci_solve
        >>> ci_solve.solve({"problem": {"lattice": {"columns": 4}}}).to_html()[:15]
        '<!doctype html>'
        """
        return _core.html_report(self.record["problem"]["source"], json.dumps(self.record))

    def write(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes results.h5 and run.json as the program does."""
        if self._solution is None:
            raise UsageError("a loaded or pickled result cannot write files; expected a result of solve()")
        self._solution.write(os.fspath(folder), overwrite)

    def write_natural_fcidump(
        self, path: str | os.PathLike[str], state: int | None = None, overwrite: bool = False
    ) -> None:
        """Writes the integrals over the natural orbitals of a state, or of the mean density of all states.

        Doubly occupied orbitals outside of the active ones are part of the core energy. The operators of the
        problem are written beside them, for ``problem.operators``: for n2.fcidump as n2.operators.h5.
        """
        if self._solution is None:
            raise UsageError("a loaded or pickled result cannot write files; expected a result of solve()")
        name = os.fspath(path)
        beside = os.path.splitext(name)[0] + ".operators.h5"
        place = None if state is None else self._index(state)
        self._solution.write_natural(name, beside, place, overwrite)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the result as a NumPy file (.npz) for ``load``.

        >>> import ci_solve, pathlib, tempfile
        >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "chain.npz"
        ...     result.save(path)
        ...     again = ci_solve.load(path)
        >>> again.record == result.record, (again.vectors == result.vectors).all()
        (True, np.True_)
        """
        self._strings()
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
        if excitations := self._excitation_cells():
            rows = [f"{row} {cell:>13}" for row, cell in zip(rows, excitations)]
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

    def _excitation_cells(self) -> list[str]:
        """A heading and a cell for each of several states; empty if their energies are not in Hartree."""
        values = self.excitations_ev
        if len(values) < 2 or any(value is None for value in values):
            return []
        return ["above 1 (eV)", *(f"{value:.6f}" for value in values)]

    def _verdict(self) -> str:
        words = {0: "converged and verified", 3: "not converged", 4: "not verified"}
        return words[self.exit_code]

    def _repr_html_(self) -> str:
        heading, *excitations = self._excitation_cells() or [""]
        rows = "".join(
            f"<tr><td>{number}</td>"
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in (*cells, *excitations[number - 1 : number]))
            + "</tr>"
            for number, cells in enumerate(self._cells(), 1)
        )
        names = ("state", "energy", "residual", "&lt;S^2&gt;", "irrep", *([heading] if heading else []))
        heads = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><tr>{heads}</tr>{rows}</table><p>{html.escape(self._verdict())}</p>"


def whole_numbers(words: NDArray[np.int64]) -> Strings:
    """One number for each row of words."""
    if words.shape[1] == 1 and (words >= 0).all():
        return words[:, 0].copy()
    found = np.zeros(len(words), dtype=object)
    for place in reversed(range(words.shape[1])):
        found = (found << 64) | words[:, place].view(np.uint64).astype(object)
    return found


def load(path: str | os.PathLike[str]) -> Result:
    """Loads a result that ``Result.save`` or the program has written; accepts a folder, run.json or results.h5.

    >>> import ci_solve, tempfile
    >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, states=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.write(folder)
    ...     again = ci_solve.load(folder)
    >>> again.record == result.record, (again.vectors == result.vectors).all()
    (True, np.True_)
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        return _of_folder(name)
    try:
        with open(name, "rb") as file:
            begin = file.read(8)
    except FileNotFoundError as error:
        raise NoInputError(f"{name}: no such file or folder") from error
    except OSError as error:
        raise NoInputError(f"{name}: {error.strerror}; expected a readable file") from error
    if begin == b"\x89HDF\r\n\x1a\n":
        return _of_results(name, _record_next_to(name))
    if begin.startswith(b"PK"):
        return _of_arrays(name)
    if os.path.basename(name) == "run.json":
        return _of_folder(os.path.dirname(name) or ".")
    raise BadInputError(f"{name}: not a result of ci_solve; {_EXPECTED}")


_EXPECTED = "expected a file of Result.save, results.h5 of a job, or the folder of one"


def _of_arrays(name: str) -> Result:
    try:
        with np.load(name, allow_pickle=False) as file:
            record = json.loads(bytes(file["record"]).decode())
            arrays: dict[str, list[Any]] = {
                kind: [file[one] for one in _numbered(file.files, kind)] for kind in _KINDS
            }
    except (KeyError, ValueError, TypeError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        reason = "it holds objects of Python" if "pickle" in str(error).lower() else str(error)
        raise BadInputError(f"{name}: not a result of ci_solve: {reason}; {_EXPECTED}") from None
    return Result(record, arrays)


def _of_folder(folder: str) -> Result:
    """Results of the program in a folder; only the record without results.h5, as for a job without states."""
    record_file, results = os.path.join(folder, "run.json"), os.path.join(folder, "results.h5")
    record = _record_in(record_file) if os.path.exists(record_file) else None
    if os.path.exists(results):
        return _of_results(results, record)
    if record is None:
        raise NoInputError(f"{folder}: the folder holds neither run.json nor results.h5; expected the folder of a job")
    return Result(record, {kind: [] for kind in _KINDS})


def _record_in(name: str) -> dict[str, Any]:
    try:
        with open(name, encoding="utf-8") as file:
            record = json.load(file)
        if not isinstance(record, dict) or not isinstance(record.get("problem"), dict):
            raise ValueError("it names no problem")
        found: dict[str, Any] = record
        return found
    except OSError as error:
        raise NoInputError(f"{name}: {error.strerror}; expected a readable file") from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{name}: not a record of ci-solve: {error}; {_EXPECTED}") from error


def _record_next_to(results: str) -> dict[str, Any] | None:
    record = os.path.join(os.path.dirname(results), "run.json")
    return _record_in(record) if os.path.exists(record) else None


def _of_results(name: str, record: dict[str, Any] | None) -> Result:
    """The numbers of results.h5, with the record if that is of the same job."""
    saved = _core.read_results(name)
    tables: dict[str, Any] = dict(saved.take_tables())
    if record is not None:
        recorded = [state.get("energy") for state in record.get("states") or []]
        if recorded != tables["states/energies"][:, 0].tolist():
            words = f"{name}: run.json next to it belongs to another job and is ignored"
            warnings.warn(words, SolveWarning, stacklevel=4)
            record = None
    return Result(record or _record_of(name, saved, tables), _arrays_of(saved.words, tables))


def _record_of(name: str, saved: _core.SavedResults, tables: dict[str, Any]) -> dict[str, Any]:
    """The part of run.json that results.h5 contains."""
    members = {"energy": "energies", "residual": "residuals", "error_bound": "error_bounds"}
    states: list[dict[str, Any]] = [{} for _ in tables["states/energies"]]
    for member, table in members.items():
        for state, value in zip(states, tables[f"states/{table}"][:, 0].tolist()):
            state[member] = value
    for state, value in zip(states, tables["states/converged"][:, 0].tolist()):
        state["converged"] = value == 1
    return {
        "program": "ci-solve",
        "problem": {"source": name},
        "space": {"dimension": saved.dimension},
        "solver": {
            "method": saved.method, "iterations": saved.iterations, "products": saved.products,
            "converged": all(state["converged"] for state in states),
        },
        "states": states,
        "verification": {
            "passed": saved.verified, "orthogonality": saved.orthogonality, "completeness": saved.completeness,
            "max_residual": float(tables["states/verified_residuals"].max()),
        },
    }  # fmt: skip


def _arrays_of(words: int, tables: dict[str, Any]) -> dict[str, list[Any]]:
    """As ``Result`` holds them."""
    n = len(tables.get("densities/orbitals", ()))
    shapes = {
        "one_particle": (2, n, n), "transition": (2, n, n), "two_particle": (n, n, n, n),
        "natural_orbitals": (n, n), "natural_occupations": (n,),
    }  # fmt: skip
    arrays = {
        kind: [row.reshape(shape) for row in tables.get(f"densities/{kind}", ())]
        for kind, shape in shapes.items()
    }
    for kind, table in (("entropies", "single_orbital"), ("mutual_information", "mutual_information")):
        found = tables.get(f"entropies/{table}", ())
        m = len(tables.get("entropies/orbitals", ()))
        arrays[kind] = [row.reshape((m,) if kind == "entropies" else (m, m)) for row in found]
    m = len(tables.get("transition_orbitals/orbitals", ()))
    for kind in ("weights", "holes", "particles"):
        shape = (2, m) if kind == "weights" else (2, m, m)
        arrays[f"transition_{kind}"] = [row.reshape(shape) for row in tables.get(f"transition_orbitals/{kind}", ())]
    for kind in ("hole_weights", "particle_weights", "holes", "particles"):
        shape = (2, m) if kind.endswith("weights") else (2, m, m)
        found = tables.get(f"transition_orbitals/level_{kind}", ())
        arrays[f"level_{kind}"] = [row.reshape(shape) for row in found]
    first, states = (tables.get(f"transition_orbitals/level_{kind}", ()) for kind in ("first", "states"))
    arrays["levels"] = [np.concatenate(level) for level in zip(first, states)]
    energies = tables.get("dyson/energies", ())
    orbitals = tables.get("dyson/orbitals", ())
    arrays["dyson_energies"] = [energies.reshape(-1)] if len(energies) else []
    arrays["dyson_orbitals"] = list(orbitals.reshape(len(energies), -1, orbitals.shape[1])) if len(energies) else []
    vectors = tables.get("states/vectors")
    arrays["vectors"] = [] if vectors is None else [vectors.T]
    arrays["determinants"] = _determinants_of(words, tables)
    for kept in (array for several in arrays.values() for array in several):
        kept.flags.writeable = False
    return arrays


def _determinants_of(words: int, tables: dict[str, Any]) -> list[NDArray[np.int64]]:
    for group in ("determinants", "strings"):
        if f"{group}/alpha" in tables:
            alpha, beta = (tables[f"{group}/{spin}"].reshape(-1, words) for spin in ("alpha", "beta"))
            if f"{group}/alpha_block" not in tables:
                return [alpha, beta]
            of_alpha, of_beta = (tables[f"{group}/{spin}_block"][:, 0] for spin in ("alpha", "beta"))
            betas_of = {block: np.flatnonzero(of_beta == block) for block in np.unique(of_alpha).tolist()}
            betas = [betas_of[block] for block in of_alpha.tolist()]
            a = np.repeat(np.arange(len(alpha)), [len(some) for some in betas])
            return [alpha[a], beta[np.concatenate(betas)]]
    return []


def _numbered(names: list[str], kind: str) -> list[str]:
    count = sum(name.startswith(kind + ".") for name in names)
    return [f"{kind}.{number}" for number in range(count)]
