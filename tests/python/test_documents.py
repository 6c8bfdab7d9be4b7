"""What the documents show runs."""

from __future__ import annotations

import pathlib
import re

import ci_solve
import pytest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_first_excited_state_of_the_readme(capsys):
    pytest.importorskip("pyscf")
    (example,) = [block for block in blocks("README.md") if "ci_solve" in block]
    assert len(example.strip().splitlines()) <= 12
    names = {}
    exec(example, names)  # the README is ours
    assert names["result"].verified and "converged and verified" in capsys.readouterr().out
    from pyscf import fci

    expected = fci.FCI(names["field"]).run(nroots=2).e_tot
    assert abs(names["result"].energies - expected).max() < 1e-7


def test_the_examples_of_the_page_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {"request": {"problem": {"lattice": {"columns": 4}}}}
    for block in blocks("docs/python.md"):
        exec(block, names)
    assert isinstance(names["result"], ci_solve.Result)


def test_the_page_lists_every_kind_of_error():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in ci_solve.__all__:
        kind = getattr(ci_solve, name)
        if isinstance(kind, type) and hasattr(kind, "exit_code") and name not in ("Error", "Result"):
            assert re.search(rf"\| `{name}` \| {kind.exit_code} \|", text), name
