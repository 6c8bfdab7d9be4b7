"""NVIDIA's libraries are looked for in its own wheels, in conda and in the toolkit, in that order."""

from __future__ import annotations

import pathlib
import sys

import pytest
from ci_solve import _core, _libraries


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A folder of each kind, with the library in it."""
    folders = {
        "wheel": tmp_path / "site" / "nvidia" / "cu13" / "lib",
        "conda": tmp_path / "conda" / "lib",
        "toolkit": tmp_path / "cuda" / "lib64",
    }
    for folder in folders.values():
        folder.mkdir(parents=True)
        (folder / _libraries.CUBLAS).touch()
    others = [path for path in sys.path if not (pathlib.Path(path) / "nvidia").is_dir()]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *others])
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    return folders


def test_libraries_are_found_in_this_order(places):
    for kind in ("wheel", "conda", "toolkit"):
        assert _libraries.find(_libraries.CUBLAS) == places[kind] / _libraries.CUBLAS
        (places[kind] / _libraries.CUBLAS).unlink()


def test_libraries_that_are_nowhere_are_none(places):
    assert _libraries.find("libof-nobody.so.1") is None


def test_libraries_are_left_alone_without_a_device():
    if _core.built_for_cuda() and _core.count_devices() > 0:
        pytest.skip("there is a device")
    _libraries.prepare()
    assert not _libraries._prepared
    with open("/proc/self/maps", encoding="utf-8") as file:
        assert "libcublas" not in file.read()
