"""The lowest eigenstates of configuration-interaction Hamiltonians, verified."""

import os

from ._core import State, dismiss_threads
from ._core import version as __version__
from ._solve import solve
from .errors import (
    BackendError,
    BadInputError,
    CannotWriteError,
    ConfigurationError,
    Error,
    InternalError,
    Interrupted,
    NoInputError,
    ResourcesError,
    SolveWarning,
    UsageError,
)
from .operators import Hamiltonian, eigsh
from .progress import Progress
from .results import Result, load

__all__ = [
    "BackendError",
    "BadInputError",
    "CannotWriteError",
    "ConfigurationError",
    "Error",
    "Hamiltonian",
    "InternalError",
    "Interrupted",
    "NoInputError",
    "Progress",
    "ResourcesError",
    "Result",
    "SolveWarning",
    "State",
    "UsageError",
    "__version__",
    "eigsh",
    "load",
    "solve",
]

os.register_at_fork(before=dismiss_threads)  # a child has none of them, and would wait for them
