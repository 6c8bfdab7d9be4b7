"""The cells of the notebooks run, with their own assertions, and show what the committed output shows."""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import re
import warnings
from itertools import zip_longest

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def is_same(shown, said):
    """Words exactly, numbers with a point to 2e-5; those with an exponent are noise below a tolerance. The order of
    determinants of equal weight is arbitrary."""
    pairs = list(zip_longest(shown.split(), said.split(), fillvalue=""))
    for a, b in pairs:
        numbers = [re.fullmatch(r"[\[(]*(-?\d+[.]\d*(?:e-\d+)?|\d+e-\d+)[\]),]*", word) for word in (a, b)]
        if all(numbers):
            if abs(float(numbers[0][1]) - float(numbers[1][1])) > 2e-5:
                return False
        elif a != b and not (len(a) == len(b) > 5 and all(re.fullmatch("[2ud0]+", word) for word in (a, b))):
            return False
    return True


def printed(cell):
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_showed(path, monkeypatch):
    pytest.importorskip("pyscf")
    monkeypatch.chdir(ROOT)
    names = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec("".join(cell["source"]), names)
        if "varies" in cell["metadata"].get("tags", ()):  # samples of a state, whose last bits vary
            continue
        if "bytes" not in said.getvalue():  # a format may hold more on another machine
            assert is_same(printed(cell), said.getvalue()), said.getvalue()
