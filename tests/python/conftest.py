"""What needs PySCF is left out where there is none."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if find_spec("pyscf") is None:
        left_out = ["*/ci_solve/pyscf/*", "*/tests/python/*pyscf*"]
        config.option.ignore_glob = [*(config.option.ignore_glob or []), *left_out]
