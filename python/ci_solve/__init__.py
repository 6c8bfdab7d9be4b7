"""The lowest eigenstates of configuration-interaction Hamiltonians, verified."""

from ._core import State, __version__
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
    UsageError,
)
from .results import Result

__all__ = [
    "BackendError",
    "BadInputError",
    "CannotWriteError",
    "ConfigurationError",
    "Error",
    "InternalError",
    "Interrupted",
    "NoInputError",
    "ResourcesError",
    "Result",
    "State",
    "UsageError",
    "__version__",
    "solve",
]
