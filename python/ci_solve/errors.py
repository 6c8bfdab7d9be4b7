"""What can go wrong, by kind; each with the words and the exit code of the program.

Not to converge, and to fail the verification, are results: see ``Result.exit_code``.
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base of all errors of this package but ``Interrupted``.

    >>> import ci_solve
    >>> try:
    ...     ci_solve.solve({"problem": {"lattice": {"columns": 4}}, "solver": {"sates": 2}})
    ... except ci_solve.Error as error:
    ...     print(error.exit_code, error)
    78 the request: unknown key 'solver.sates'; did you mean 'solver.states'?
    """

    exit_code = 70


class UsageError(Error, ValueError):
    """A call that makes no sense."""

    exit_code = 2


class BadInputError(Error, ValueError):
    """Data that cannot be true."""

    exit_code = 65


class NoInputError(Error, FileNotFoundError):
    """A file that is not there."""

    exit_code = 66


class BackendError(Error, RuntimeError):
    """A backend that is not built or has no device."""

    exit_code = 69


class InternalError(Error, RuntimeError):
    """A defect of the program."""

    exit_code = 70


class ResourcesError(Error, MemoryError):
    """Memory, the budget included, or a device has failed."""

    exit_code = 71


class CannotWriteError(Error, OSError):
    """An output that cannot be written."""

    exit_code = 73


class ConfigurationError(Error, ValueError):
    """A request that says something impossible."""

    exit_code = 78


class SolveWarning(UserWarning):
    """What a job has to say beside its result, as the program logs it."""


class Interrupted(KeyboardInterrupt):
    """A solution that was stopped at one of its iterations; ``state`` is what it had reached.

    ``ci_solve.solve(..., start=error.state)`` goes on from there.
    """

    exit_code = 75

    def __init__(self, message: str, state: Any) -> None:
        super().__init__(message)
        self.state = state
