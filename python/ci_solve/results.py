"""What a job has found."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core


class Result:
    """The states of a job, with all that is known of them."""

    def __init__(self, solution: _core.Solution) -> None:
        self._solution = solution

    @cached_property
    def energies(self) -> NDArray[np.float64]:
        """Total energies in Hartree, ascending."""
        return np.array(self._solution.energies)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the program writes as run.json."""
        found: dict[str, Any] = json.loads(self._solution.record)
        return found
