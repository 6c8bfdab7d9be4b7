"""Progress of a running solution."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SolverCallback = Callable[[int, list[float], list[float], int, int, bool, float], object]


@dataclass(frozen=True)
class Progress:
    """An iteration of a solver.

    >>> import ci_solve
    >>> seen = []
    >>> _ = ci_solve.solve(
    ...     {"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson"}},
    ...     progress=seen.append,
    ... )
    >>> seen[0].iteration, len(seen[0].energies), seen[-1].residuals[0] < 1e-8
    (0, 1, True)
    """

    iteration: int
    energies: list[float]
    residuals: list[float]
    products: int
    subspace: int
    searching: bool  # for missed states, after convergence
    seconds: float

    @property
    def slowest(self) -> int:
        """The state with the largest residual, counted from 0: it converges last."""
        return max(range(len(self.residuals)), key=self.residuals.__getitem__, default=0)

    def text(self) -> str:
        """The iteration as one line, with the slowest of several states."""
        if self.searching:
            step = f"{self.energies[0]:.9f}, searching"
        else:
            state, count = self.slowest, len(self.energies)
            which = f"state {state + 1} of {count}: " if count > 1 else ""
            step = f"{which}{self.energies[state]:.9f}, residual {max(self.residuals, default=0.0):.1e}"
        return f"iteration {self.iteration}: {step}, {self.products} products"


class Meter:
    """Shows the current iteration on one line of a terminal or notebook."""

    def __init__(self, least_seconds: float = 0.2) -> None:
        self._least = least_seconds
        self._shown = float("-inf")
        self._handle: Any = None
        self._last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._last = progress
        if now - self._shown < self._least:
            return
        self._shown = now
        if _in_notebook():
            self._show_in_notebook(progress.text())
        else:
            sys.stderr.write("\r\x1b[K" + progress.text() if sys.stderr.isatty() else progress.text() + "\n")
            sys.stderr.flush()

    def _show_in_notebook(self, text: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found]

        content = {"text/plain": text}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self, end: str) -> None:
        """Clears the line of a terminal; a notebook keeps the last line."""
        if self._last is None:
            return
        if self._handle is not None:
            count = self._last.iteration
            self._show_in_notebook(
                f"{end}: {count} iteration{'' if count == 1 else 's'}, {self._last.products} products"
            )
        elif not _in_notebook() and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def progress_callback(
    progress: bool | Callable[[Progress], object] | None,
) -> tuple[SolverCallback | None, Meter | None]:
    """The solver's callback, and its meter if there is one. By default progress is shown in a terminal
    or notebook."""
    meter = None
    if progress is None:
        progress = sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())
    if progress is False:
        return None, None
    if progress is True:
        progress = meter = Meter()
    listener = progress

    def callback(*values: Any) -> bool:
        answer = listener(Progress(*values))
        return not (isinstance(answer, (bool, np.bool_)) and not answer)

    return callback, meter
