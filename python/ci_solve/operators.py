"""Operators: the Hamiltonian of a request, and ``eigsh`` for a user's operator."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._blocks import Library, as_numbers, library_and_backend_of, in_columns, view_of
from ._libraries import prepare
from ._requests import Request, as_int, numbers
from ._signatures import with_keywords
from ._solve import SolveOptions, request_of
from .errors import UsageError, SolveWarning
from .progress import Progress, progress_callback

Floats = NDArray[np.float64]


class Hamiltonian:
    """The Hamiltonian of a request (arguments as for ``solve``) as an operator for other programs.

    >>> import ci_solve, numpy as np
    >>> h = ci_solve.Hamiltonian({"problem": {"lattice": {"columns": 4}}})
    >>> h.shape
    (36, 36)
    >>> x = np.ones(36)
    >>> bool(np.allclose(h @ x, h.to_scipy() @ x))
    True
    """

    dtype = np.dtype(np.float64)

    def __init__(self, request: Request | None = None, **given: Unpack[SolveOptions]) -> None:
        self._core = _core.Hamiltonian(request_of(request, **given))
        self.shape = (self._core.rows, self._core.rows)

    def matvec(self, x: ArrayLike) -> Floats:
        """H x, the core energy included."""
        return self._core.matvec(numbers(x).reshape(-1))

    def matmat(self, x: ArrayLike) -> Floats:
        """H X for each column of X."""
        return self._core.matvec(numbers(np.asarray(x).T)).T

    def __matmul__(self, x: ArrayLike) -> Floats:
        return self.matvec(x) if np.ndim(x) == 1 else self.matmat(x)

    def diagonal(self) -> Floats:
        """<i|H|i> of each determinant."""
        return self._core.diagonal()

    def __reduce__(self) -> Any:
        raise TypeError("a Hamiltonian cannot be pickled; construct it from its request in the process that needs it")

    def to_scipy(self) -> Any:
        """The matrix as a scipy.sparse.csr_array."""
        from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

        return csr_array(self._core.elements(), shape=self.shape)


with_keywords(Hamiltonian, Hamiltonian.__init__, SolveOptions)


def _function_of(operator: Any) -> Callable[[Floats], Any]:
    """Function that multiplies a block of vectors."""
    if hasattr(operator, "matmat"):
        return lambda x: operator.matmat(x)
    if hasattr(operator, "__matmul__"):
        return lambda x: operator @ x
    if callable(operator):
        return lambda x: operator(x)
    raise UsageError(f"{operator!r} is not an operator; expected a matrix, an operator or a function")


def _diagonal_of(operator: Any) -> Any:
    """The diagonal; None if unknown, since sparse matrices of torch do not provide it."""
    if "sparse" in str(getattr(operator, "layout", "")):
        return None
    method = getattr(operator, "diagonal", None)
    return method() if callable(method) else None


def _start_of(start: Any, rows: int) -> Floats:
    """Start vectors as rows, the layout of the extension."""
    try:
        columns = as_numbers(start)
    except (TypeError, ValueError) as error:
        raise UsageError(f"start does not hold numbers: {error}; expected vectors as columns") from None
    if columns.ndim not in (1, 2) or columns.shape[0] != rows or columns.size == 0:
        raise UsageError(
            f"start has the shape {columns.shape}; expected vectors as columns, ({rows}, vectors)"
        )
    if not np.isfinite(columns).all():
        raise UsageError("start holds infinite or NaN values; expected finite numbers")
    return numbers(np.atleast_2d(columns.T))


def eigsh(
    operator: Any,
    k: int = 1,
    *,
    n: int | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 10000,
    search: str = "auto",
    diagonal: ArrayLike | None = None,
    start: ArrayLike | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    backend: str | None = None,
    library: Library | None = None,
) -> tuple[Floats, Any]:
    """The k lowest eigenvalues of a real symmetric operator, and its eigenvectors as columns.

    ``operator`` is a matrix of NumPy or SciPy, a LinearOperator, a ``Hamiltonian``, or a function,
    which maps a block X of shape (n, vectors) to H X; a function needs ``n``.

    >>> import ci_solve, numpy as np
    >>> levels = np.arange(1000.0)
    >>> w, v = ci_solve.eigsh(lambda x: levels[:, None] * x, 2, n=1000, diagonal=levels)
    >>> bool(np.allclose(w, [0, 1])), v.shape
    (True, (1000, 2))

    A ``diagonal``, which matrices provide by themselves, makes the solver faster; ``start`` holds start
    vectors as columns. The solution ends when all residuals are below the tolerance; otherwise a
    ``ci_solve.SolveWarning`` says what may help.

    With ``backend="cuda"`` the vectors are on the device (``"cuda:1"``: another device). ``library`` sets the
    type of a function's blocks: ``"torch"``, ``"cupy"``, ``"dlpack"`` (objects with ``__dlpack__``), or the
    result of a function such as ``jax.dlpack.from_dlpack`` for these. Such blocks share the solver's
    memory: do not write to them or keep them after the function returns. The function must return an
    array on the same device, where the eigenvectors are, too. The default ``"numpy"`` copies blocks from
    the device and back. A matrix of torch or CuPy sets both keywords.

    >>> w, v = ci_solve.eigsh(lambda x: levels[:, None] * x, 2, n=1000, library=np.from_dlpack)
    >>> bool(np.allclose(w, [0, 1])), v.shape
    (True, (1000, 2))
    """
    shape = getattr(operator, "shape", None)
    rows = as_int(n, "n") if n is not None else (shape[0] if shape else None)
    if rows is None:
        raise UsageError("a function has no shape; expected n=ROWS")
    if shape is not None and tuple(shape) != (rows, rows):
        raise UsageError(f"the operator has the shape {tuple(shape)}; expected a square one, n = {rows}")
    if "complex" in str(getattr(operator, "dtype", None)):
        raise UsageError("the operator is complex; expected a real symmetric one")
    multiply = _function_of(operator)
    own_library, own_backend = library_and_backend_of(operator) or ("numpy", "openmp")
    view = view_of(library or own_library)
    if (where := backend or own_backend) not in ("openmp", "reference"):
        prepare()
    if diagonal is None:
        diagonal = _diagonal_of(operator)
    first = None if start is None else _start_of(start, rows)
    callback, meter = progress_callback(progress)
    end = "failed"
    try:
        states = _core.eigsh(
            rows,
            (lambda x: as_numbers(multiply(x))) if view is None else (lambda x: in_columns(multiply(view(x)))),
            diagonal=None if diagonal is None else numbers(as_numbers(diagonal)),
            states=as_int(k, "k"),
            tolerance=tolerance,
            max_iterations=as_int(max_iterations, "max_iterations"),
            search=search,
            start=first,
            callback=callback,
            backend=where,
            shares_blocks=view is not None,
        )
        end = "done"
    finally:
        if meter is not None:
            meter.close(end)
    if (found := len(states.energies)) < k:
        words = f"{k} eigenvalues were requested, but the operator has {found}; all of these are computed"
        warnings.warn(words, SolveWarning, stacklevel=2)
    if not all(states.converged):
        reasons = ["some eigenvalues are above the tolerance", states.advice, states.residual_trend]
        reasons.append("start=vectors continues from these vectors" if states.wants_iterations else "")
        warnings.warn("; ".join(filter(None, reasons)), SolveWarning, stacklevel=2)
    return np.array(states.energies), states.vectors if view is None else view(states.shared_vectors)
