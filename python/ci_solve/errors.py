"""Exceptions by kind, each with the message and the exit code of the program.

States that do not converge or fail their verification are results, not errors: see ``Result.exit_code``.
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Base class of all errors of this package except ``Interrupted``.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve({"problem": {"lattice": {"columns": 4}}, "solver": {"sates": 2}})
    ... except ci_solve.Error as error:
    ...     print(error.exit_code, error)
    78 the request: unknown key 'solver.sates'; did you mean 'solver.states'?
    """

    exit_code = 70


class UsageError(Error, ValueError):
    """Arguments that contradict each other or are incomplete.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.eigsh(lambda x: x)
    ... except ci_solve.UsageError as error:
    ...     print(error)
    a function has no shape; expected n=ROWS
    """

    exit_code = 2


class BadInputError(Error, ValueError):
    """Data that are damaged or inconsistent.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve(one_body=[[0.0]], two_body=[1.0], electrons=(2, 0))
    ... except ci_solve.BadInputError as error:
    ...     print(error)
    the given integrals: 2 electrons of one spin in 1 orbitals; expected 0 to 1
    """

    exit_code = 65


class NoInputError(Error, FileNotFoundError):
    """A file that does not exist.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve("nowhere.yaml")
    ... except FileNotFoundError as error:
    ...     print(error)
    nowhere.yaml: the file does not exist; expected a configuration, or a FCIDUMP, Matrix Market or .npz file
    """

    exit_code = 66


class BackendError(Error, RuntimeError):
    """A backend that is not built or has no device.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, backend="cuda:99")
    ... except ci_solve.BackendError as error:
    ...     print(error.exit_code)
    69
    """

    exit_code = 69


class InternalError(Error, RuntimeError):
    """A defect of the program.

    >>> import ci_solve
    >>> issubclass(ci_solve.InternalError, ci_solve.Error)
    True
    """

    exit_code = 70


class ResourcesError(Error, MemoryError):
    """Too little memory, or too small a memory budget, or a device that failed.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve({"problem": {"lattice": {"columns": 20}}}, memory="1 GiB")
    ... except ci_solve.ResourcesError as error:
    ...     print(str(error)[:46])
    not enough memory: 34,134,779,536 rows: the ve
    """

    exit_code = 71


class CannotWriteError(Error, OSError):
    """An output that cannot be written.

    >>> import ci_solve
    >>> result = ci_solve.solve({"problem": {"lattice": {"columns": 4}}})
    >>> try:
    ...     result.write("/proc/no-such-folder")
    ... except ci_solve.CannotWriteError as error:
    ...     print(error.exit_code)
    73
    """

    exit_code = 73


class ConfigurationError(Error, ValueError):
    """A request with unknown keys or impossible values.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, spin=0.5)
    ... except ci_solve.ConfigurationError as error:
    ...     print(error.exit_code)
    78
    """

    exit_code = 78


class SolveWarning(UserWarning):
    """A warning of a job, as the program logs it.

    >>> import ci_solve, warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     _ = ci_solve.solve({"problem": {"lattice": {"columns": 2}}}, states=9)
    >>> print(said[0].message)
    9 states were requested, but the matrix has 4; all of these are computed
    """


class Interrupted(KeyboardInterrupt):
    """A solution that was stopped at an iteration; ``state`` holds its vectors.

    ``ci_solve.solve(..., start=error.state)`` continues it.

    >>> import ci_solve
    >>> request = {"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson"}}
    >>> try:
    ...     ci_solve.solve(request, progress=lambda progress: progress.iteration < 2)
    ... except ci_solve.Interrupted as error:
    ...     state = error.state
    >>> state.iterations
    2
    >>> ci_solve.solve(request, start=state).verified
    True
    """

    exit_code = 75

    def __init__(self, message: str, state: Any) -> None:
        super().__init__(message)
        self.state = state
