"""What is public is documented, shown by an example, and typed; what is imported is little."""

from __future__ import annotations

import inspect
import pathlib
import pydoc
import subprocess
import sys

import ci_solve
import pytest

PUBLIC = [name for name in ci_solve.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name):
    assert inspect.getdoc(getattr(ci_solve, name))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_an_example_or_say_where_it_stands(name):
    text = inspect.getdoc(getattr(ci_solve, name))
    assert ">>>" in text or "see " in text


def test_types_are_told():
    folder = pathlib.Path(ci_solve.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
    pytest.importorskip("pyscf")  # else what stands in its slot cannot be looked at
    mypy = pytest.importorskip("mypy.api")
    # PySCF tells no types of its own.
    of_pyscf = ["--disable-error-code=import-untyped", "--allow-subclassing-any"]
    words, _, code = mypy.run(["--strict", "--no-incremental", *of_pyscf, "-p", "ci_solve"])
    assert code == 0, words


def test_parts_are_there_once_they_are_named():
    code = "import ci_solve; print(ci_solve.sqd.solve_sci_batch.__name__, hasattr(ci_solve, 'pysfc'))"
    named = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert named.stdout.split() == ["solve_sci_batch", "False"]
    pytest.importorskip("pyscf")
    code = "import ci_solve; print(ci_solve.pyscf.FCISolver.__name__, ci_solve.pyscf.from_scf.__name__)"
    named = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert named.stdout.split() == ["FCISolver", "from_scf"]


def test_an_import_draws_in_numpy_alone():
    code = "import sys, ci_solve; print([n for n in ('scipy', 'pyscf', 'h5py', 'IPython') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("shown", [ci_solve.solve, ci_solve.Hamiltonian, ci_solve.sqd.solve_sci])
def test_help_shows_each_keyword(shown):
    text = pydoc.render_doc(shown, renderer=pydoc.plaintext)
    assert "tolerance: 'float | None' = None" in text and "**" not in text.splitlines()[2]
    if shown is not ci_solve.sqd.solve_sci:
        assert all(f"{key}: " in text for key in ("one_body", "core", "electrons", "states", "spin", "irrep"))
