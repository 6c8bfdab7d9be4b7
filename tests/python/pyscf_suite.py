"""PySCF's own tests with this package's solver in its slot, beside the same tests with PySCF's.

    python tests/python/pyscf_suite.py [--own | --backend NAME] [--jobs N] [--log FOLDER] FOLDER FILE...

FOLDER holds PySCF's sources (or its test folders alone), FILE are paths beneath it, such as
pyscf/mcscf/test/test_n2.py. --own leaves PySCF's solver where it is, --backend has ours work there. For
each file it tells how many tests have passed and failed and names those that failed; one process each,
since tests leave traces, N of them at a time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import xml.etree.ElementTree as tree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory


def replace_solvers(backend: str) -> None:
    """Of full CI, wherever PySCF makes one: `fci.solver`, by which `fci.FCI` does, and the classes that
    CASCI and CASSCF name. Each keeps a class of its own, for callers ask for classes. Those of
    `direct_spin0` and `direct_spin1_cyl_sym` stay, for they are asked for by name alone."""
    import pyscf.fci as fci
    from ci_solve.pyscf import FCISolver
    from pyscf.fci import direct_spin1_cyl_sym as _  # before the class that it derives from is another

    FCISolver.backend = backend

    def replaced(name: str, **attributes: object) -> type[FCISolver]:
        found = type("FCISolver", (FCISolver,), {"__module__": f"ci_solve.{name}", **attributes})
        module = getattr(fci, name)
        module.FCISolver = module.FCI = found
        return found

    # PySCF's classes that stay call these by the name of the class.
    both = {name: of_either(fci.direct_spin1.FCISolver, FCISolver, name) for name in ("__init__", "dump_flags")}
    plain = replaced("direct_spin1", heeds_symmetry=False, **both)
    symmetric = replaced("direct_spin1_symm")
    replaced("direct_uhf", heeds_symmetry=False)

    def solver(mol=None, singlet=False, symm=None):
        if symm is None:
            symm = bool(mol and mol.symmetry)
        found = (symmetric if symm else plain)(mol)
        if singlet:
            found.even_spins = True
        return found

    fci.solver = solver


def of_either(own: type, ours: type, name: str) -> Callable[..., object]:
    """A method of the one class or the other, by what it is called with."""

    def method(self, *given, **named):
        return getattr(ours if isinstance(self, ours) else own, name)(self, *given, **named)

    return method


def run_here(file: str, report: str, backend: str) -> int:
    import pytest

    replace_solvers(backend)
    return pytest.main([*OPTIONS, f"--junitxml={report}", file])


OPTIONS = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=."]


def run(given: argparse.Namespace, file: str) -> tuple[int, list[str], float]:
    with TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        if given.own:
            command = ["-m", "pytest", *OPTIONS, f"--junitxml={report}", file]
        else:
            here = ["--here", str(report), "--backend", given.backend]
            command = [str(Path(__file__).resolve()), *here, ".", file]
        done = subprocess.run(
            [sys.executable, *command], cwd=given.folder, capture_output=True, text=True, check=False
        )
        if given.log is not None:
            (given.log / (file.replace("/", "_") + ".log")).write_text(done.stdout + done.stderr)
        if not report.exists():
            return 0, [f"nothing ran: {done.stderr[-300:]}"], 0.0
        cases = list(tree.parse(report).iter("testcase"))
    failed = [c.get("name", "") for c in cases if c.find("failure") is not None or c.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    seconds = sum(float(case.get("time", 0)) for case in cases)
    return len(cases) - len(failed) - skipped, failed, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a folder for what pytest says")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        sys.exit(run_here(given.files[0], given.here, given.backend))
    sums = [0, 0]
    with ThreadPoolExecutor(given.jobs) as pool:
        found = pool.map(lambda file: run(given, file), given.files)
        for file, (passed, failed, seconds) in zip(given.files, found, strict=True):
            sums = [sums[0] + passed, sums[1] + len(failed)]
            print(f"{file}: {passed} passed, {len(failed)} failed, {seconds:.1f} s", *failed, flush=True)
    print(f"{sums[0]} passed, {sums[1]} failed")


if __name__ == "__main__":
    main()
