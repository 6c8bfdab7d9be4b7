"""Blocks of vectors for a user's operator: NumPy arrays, or arrays of a DLPack library that share the
solver's memory on the host or a device."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError

Library = str | Callable[[Any], Any]
View = Callable[[Any], Any]

_MODULES = {"torch": "torch.utils.dlpack", "cupy": "cupy"}


def view_of(library: Library) -> View | None:
    """Converter from ``__dlpack__`` objects to arrays of the library; None for NumPy, whose blocks are copies."""
    if library == "numpy":
        return None
    if library == "dlpack":
        return lambda block: block
    if not isinstance(library, str):
        return library
    if library not in _MODULES:
        raise UsageError(
            f"library is '{library}'; expected numpy, torch, cupy, dlpack, or a function that makes an "
            "array of an object with __dlpack__"
        )
    found: View = importlib.import_module(_MODULES[library]).from_dlpack
    return found


def library_and_backend_of(operator: Any) -> tuple[str, str] | None:
    """Library and backend of a matrix of torch or CuPy; None for any other."""
    library = type(operator).__module__.partition(".")[0]
    if library == "torch" and hasattr(operator, "is_cuda"):
        return "torch", f"cuda:{operator.device.index or 0}" if operator.is_cuda else "openmp"
    if library in ("cupy", "cupyx") and hasattr(operator, "dtype"):
        device = getattr(operator, "device", None) or getattr(getattr(operator, "data", None), "device", None)
        return "cupy", f"cuda:{device.id if device is not None else 0}"
    return None


def in_columns(block: Any) -> Any:
    """Array with contiguous columns, the layout of the solver, converted by the library itself."""
    if getattr(block, "ndim", 0) != 2:
        return block
    if hasattr(block, "detach"):  # torch
        block = block.detach()
        return block if block.stride(0) == 1 else block.t().contiguous().t()
    library = type(block).__module__.partition(".")[0]
    if library in ("numpy", "cupy"):
        return importlib.import_module(library).asfortranarray(block)
    return block


def as_numbers(block: Any) -> NDArray[np.float64]:
    """Array of NumPy or of a DLPack library; host arrays of torch are not copied."""
    if hasattr(block, "detach"):
        block = block.detach().cpu()
    if type(block).__module__.partition(".")[0] == "cupy":
        block = block.get()
    if not isinstance(block, np.ndarray) and hasattr(block, "__dlpack__"):
        block = np.from_dlpack(block)
    found = np.asarray(block)
    if np.iscomplexobj(found):
        raise UsageError("the operator returned complex numbers; expected a real symmetric operator")
    return np.asfortranarray(found, dtype=np.float64)
