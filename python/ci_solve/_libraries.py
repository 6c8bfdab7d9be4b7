"""Finds NVIDIA's libraries, for an extension that was built for its devices.

The extension is not linked to them: it opens the driver library when a device is requested and cuBLAS when
a job on a device starts. This module locates cuBLAS first, so that it need not be on the system's paths.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pathlib
from collections.abc import Iterator

from . import _core

CUBLAS = "libcublas.so.13"

_prepared = False


def _in_wheels() -> Iterator[pathlib.Path]:
    """Folders of the wheel nvidia-cublas, which ci-solve[cuda] installs."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        yield from sorted(pathlib.Path(folder).glob("*/lib"))


def _in_conda() -> Iterator[pathlib.Path]:
    if prefix := os.environ.get("CONDA_PREFIX"):
        yield pathlib.Path(prefix) / "lib"


def _in_toolkit() -> Iterator[pathlib.Path]:
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if root := os.environ.get(name):
            yield pathlib.Path(root) / "lib64"
    yield pathlib.Path("/usr/local/cuda/lib64")


def find(name: str) -> pathlib.Path | None:
    """The first match among NVIDIA's wheels, conda and the toolkit."""
    for step in (_in_wheels, _in_conda, _in_toolkit):
        for folder in step():
            if (folder / name).is_file():
                return folder / name
    return None


def prepare() -> None:
    """Loads them once, before the first job that may run on a device; does nothing without a device."""
    global _prepared
    if _prepared or not _core.built_for_cuda() or _core.count_devices() == 0:
        return
    _prepared = True
    if path := find(CUBLAS):
        try:
            ctypes.CDLL(os.fspath(path))  # later calls that open it by its name get this one
        except OSError:
            pass  # a job that needs it reports why it cannot be opened
