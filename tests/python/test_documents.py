"""What the documents show runs."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import sys

import ci_solve
import numpy as np
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


@pytest.mark.parametrize("space", [{}, {"irrep": 3, "frozen": 1}, {"kind": "cisd"}])
def test_the_example_of_results_finds_the_determinant_of_most_weight(space, monkeypatch, tmp_path):
    pytest.importorskip("h5py")
    problem = {"trexio": str(ROOT / "tests" / "data" / "h2o_sto3g.trexio.h5")}
    found = ci_solve.solve({"problem": problem, "space": space})
    found.write(tmp_path / "out" / "h2o-fci")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(blocks("docs/results.md")[0], names)
    ground = names["ground"]
    place = np.unravel_index(abs(ground).argmax(), ground.shape)
    # of a product in rows and columns, else one after the other
    alpha, beta = (names[spin][place[i % len(place)]] for i, spin in enumerate(("alpha", "beta")))
    text = "".join("0ud2"[(alpha >> p & 1) + 2 * (beta >> p & 1)] for p in range(7))
    assert (text, ground[place]) == found.dominant[0][0]


def test_a_molecule_without_pyscf_is_refused_with_the_remedy(tmp_path):
    script = ROOT / "scripts" / "fcidump-of-molecule.py"
    command = [sys.executable, "-I", "-S", script, "N 0 0 -1; N 0 0 1", "-o", tmp_path / "n2.fcidump"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "pip install pyscf" in refused.stderr and "Traceback" not in refused.stderr


def test_the_molecule_of_the_tutorial_is_that_of_the_examples(tmp_path):
    pytest.importorskip("pyscf")
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\$ [.]venv/bin/python (scripts/fcidump-of-molecule.py .*)$", page, re.MULTILINE)
    script, *arguments = shlex.split(line)
    subprocess.run([sys.executable, ROOT / script, *arguments], cwd=tmp_path, check=True)
    energies = [ci_solve.solve({"problem": {"fcidump": str(file)}}).energies[0]
                for file in (tmp_path / "n2.fcidump", ROOT / "configs" / "n2_stretched.fcidump")]
    assert abs(energies[0] - energies[1]) < 1e-8


def test_the_page_lists_every_kind_of_error():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in ci_solve.__all__:
        kind = getattr(ci_solve, name)
        if isinstance(kind, type) and hasattr(kind, "exit_code") and name not in ("Error", "Result"):
            assert re.search(rf"\| `{name}` \| {kind.exit_code} \|", text), name


RECORDED = [
    {"problem": {"generate": {"rows": 300, "symmetric": True}}, "product": {"repeat": 2}},
    {"problem": {"fcidump": "configs/h2o.fcidump"}, "space": {"kind": "cisd", "spin": 0}},
    {"problem": {"lattice": {"columns": 4}}, "analysis": {"entropies": "all"}},
    {"problem": {"lattice": {"model": "heisenberg", "columns": 6, "periodic_columns": True}},
     "space": {"symmetry": {"momentum": [0]}}},
    {"problem": {"fcidump": "tests/data/lih_sto3g.fcidump", "operators": "tests/data/lih_sto3g.operators.h5"},
     "solver": {"states": 3, "near": -7.7}},
    {"problem": {"fcidump": "tests/data/lih_sto3g.fcidump"}, "space": {"kind": "selected"},
     "selection": {"epsilon": 1e-2}},
]


def keys_in(record):
    if isinstance(record, dict):
        return set(record).union(*map(keys_in, record.values()))
    return set().union(*map(keys_in, record)) if isinstance(record, list) else set()


def named_on(*pages):
    text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in pages)
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}


# Records of numbers that the page does not list one by one, and names that a problem gives its operators.
NOT_LISTED = {"statistics", "memory", "generate"}
GIVEN_NAMES = {"dipole", "velocity", "moments"}


@pytest.mark.filterwarnings("ignore::ci_solve.SolveWarning")
@pytest.mark.parametrize("request_", RECORDED, ids=lambda request: "-".join(request["problem"]))
def test_the_page_of_results_names_every_key_of_a_record(request_, monkeypatch):
    monkeypatch.chdir(ROOT)
    record = ci_solve.solve(request_, progress=False).record
    for part in (record, record["problem"]):
        for name in NOT_LISTED & part.keys():
            part[name] = None
    assert keys_in(record) - named_on("results.md", "properties.md") - GIVEN_NAMES == set()
