"""Files that earlier releases have written are read by this one (docs/compatibility.md)."""

from __future__ import annotations

import json
import pathlib

import ci_solve
import numpy as np
import pytest

RELEASES = sorted(path for path in (pathlib.Path(__file__).parents[1] / "data" / "releases").iterdir() if path.is_dir())


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_results_of_a_release_are_loaded(release):
    folder = release / "molecule"
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record["version"] == release.name
    for path in (folder, folder / "run.json", folder / "results.h5"):
        found = ci_solve.load(path)
        assert np.allclose(found.energies, [state["energy"] for state in record["states"]], rtol=0, atol=1e-12)
    found = ci_solve.load(folder)
    assert found.verified and found.vectors.shape == (record["space"]["dimension"], 3)
    assert abs(np.trace(found.rdm1(0).sum(axis=0)) - 4) < 1e-10  # the electrons of LiH
    assert found.rdm2(0).shape == (found.rdm1(0).shape[1],) * 4
