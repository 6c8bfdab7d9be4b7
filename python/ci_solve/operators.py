"""Operators: the Hamiltonian of a request, and the lowest states of one's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._blocks import Library, as_numbers, home_of, in_columns, view_of
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
        raise TypeError("a Hamiltonian cannot be pickled; make it where it is needed, from its request")

    def to_scipy(self) -> Any:
        """All elements, as a scipy.sparse.csr_array."""
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
    raise UsageError(f"{operator!r} is no operator; expected a matrix, an operator or a function")


def _diagonal_of(operator: Any) -> Any:
    """None if it is not known: sparse matrices of torch do not provide it."""
    if "sparse" in str(getattr(operator, "layout", "")):
        return None
    method = getattr(operator, "diagonal", None)
    return method() if callable(method) else None


def _start_of(start: Any, rows: int) -> Floats:
    """A row for each vector, as the core takes them."""
    try:
        columns = as_numbers(start)
    except (TypeError, ValueError) as error:
        raise UsageError(f"start holds no numbers: {error}; expected vectors as columns") from None
    if columns.ndim not in (1, 2) or columns.shape[0] != rows or columns.size == 0:
        raise UsageError(
            f"start has the shape {columns.shape}; expected vectors as columns, ({rows}, vectors)"
        )
    if not np.isfinite(columns).all():
        raise UsageError("start holds numbers that are infinite or none; expected finite ones")
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
    which is given blocks (n, vectors) and gives H times these. Its ``n`` is asked for.

    >>> import ci_solve, numpy as np
    >>> levels = np.arange(1000.0)
    >>> w, v = ci_solve.eigsh(lambda x: levels[:, None] * x, 2, n=1000, diagonal=levels)
    >>> bool(np.allclose(w, [0, 1])), v.shape
    (True, (1000, 2))

    Where the ``diagonal`` is known (that of a matrix is), it makes the solver quick; ``start`` are
    vectors, as columns, to begin with. A solution ends when residuals are below the tolerance; one
    that does not get there is told by a ``ci_solve.SolveWarning``, with the iterations that it would take.

    With ``backend="cuda"`` the vectors lie on the device (``"cuda:1"`` on another one), where ``library``
    says what a function's blocks are: of ``"torch"``, ``"cupy"``, ``"dlpack"`` (objects with
    ``__dlpack__``), or what a function such as ``jax.dlpack.from_dlpack`` makes of these. They are
    the solver's own memory, not to be written to nor kept after the function has returned; what it gives must lie on the same
    device, and so do the vectors that are found. By default they are NumPy's, ``"numpy"``: copies,
    which travel from the device and back. A matrix of torch or CuPy says both by itself.

    >>> w, v = ci_solve.eigsh(lambda x: levels[:, None] * x, 2, n=1000, library=np.from_dlpack)
    >>> bool(np.allclose(w, [0, 1])), v.shape
    (True, (1000, 2))
    """
    shape = getattr(operator, "shape", None)
    rows = as_int(n, "n") if n is not None else (shape[0] if shape else None)
    if rows is None:
        raise UsageError("a function alone does not say its size; expected n=ROWS")
    if shape is not None and tuple(shape) != (rows, rows):
        raise UsageError(f"an operator of the shape {tuple(shape)}; expected a square one, n = {rows}")
    if "complex" in str(getattr(operator, "dtype", None)):
        raise UsageError("a complex operator; expected a real symmetric one")
    multiply = _function_of(operator)
    own_library, own_backend = home_of(operator) or ("numpy", "openmp")
    view = view_of(library or own_library)
    if (where := backend or own_backend) not in ("openmp", "reference"):
        prepare()
    if diagonal is None:
        diagonal = _diagonal_of(operator)
    first = None if start is None else _start_of(start, rows)
    tell, meter = progress_callback(progress)
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
            tell=tell,
            backend=where,
            shares_blocks=view is not None,
        )
        end = "done"
    finally:
        if meter is not None:
            meter.close(end)
    if (found := len(states.energies)) < k:
        words = f"{k} eigenvalues asked for, the operator has {found}; all of them are given"
        warnings.warn(words, SolveWarning, stacklevel=2)
    if not all(states.converged):
        told = ["some eigenvalues are above the tolerance", states.advice, states.outlook]
        told.append("start=vectors goes on from there" if states.wants_iterations else "")
        warnings.warn("; ".join(filter(None, told)), SolveWarning, stacklevel=2)
    return np.array(states.energies), states.vectors if view is None else view(states.shared_vectors)
