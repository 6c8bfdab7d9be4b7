"""The lowest eigenstates of configuration-interaction Hamiltonians, verified."""

import importlib
import os
from typing import TYPE_CHECKING

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
from .orbitals import Orbitals, Populations, Shell
from .progress import Progress
from .properties import Operator
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
    "Operator",
    "Orbitals",
    "Populations",
    "Progress",
    "ResourcesError",
    "Result",
    "Shell",
    "SolveWarning",
    "State",
    "UsageError",
    "__version__",
    "eigsh",
    "load",
    "solve",
]

if not TYPE_CHECKING:  # otherwise every name would resolve to a module

    def __getattr__(name):
        """``ci_solve.pyscf`` and ``ci_solve.sqd``, imported on first use."""
        if name in ("pyscf", "sqd"):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


os.register_at_fork(before=dismiss_threads)  # a child process lacks these threads and would wait for them
