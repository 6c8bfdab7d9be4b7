"""PySCF's own tests with this package's solver in its slot, beside the same tests with PySCF's.

    python tests/python/pyscf_suite.py [--own] [--log FOLDER] FOLDER FILE...

FOLDER holds PySCF's sources (or its test folders alone), FILE are paths beneath it, such as
pyscf/mcscf/test/test_n2.py. --own leaves PySCF's solver where it is. For each file it tells how many
tests have passed and failed and names those that failed; one process each, since tests leave traces.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import xml.etree.ElementTree as tree
from pathlib import Path
from tempfile import TemporaryDirectory


def replace_solvers() -> None:
    """Of full CI, wherever PySCF makes one: `fci.solver`, by which `fci.FCI` does, and the classes that
    CASCI and CASSCF name. Each keeps a class of its own, for callers ask for classes. Those of
    `direct_spin0` stay, for they are asked for by name alone."""
    import pyscf.fci as fci
    from ci_solve.pyscf import FCISolver

    def replaced(name: str, **attributes: object) -> type[FCISolver]:
        found = type("FCISolver", (FCISolver,), {"__module__": f"ci_solve.{name}", **attributes})
        module = getattr(fci, name)
        module.FCISolver = module.FCI = found
        return found

    # PySCF's direct_spin0_symm, which stays, calls this method by the name of its class.
    flags = fci.direct_spin1.FCISolver.dump_flags
    plain = replaced("direct_spin1", heeds_symmetry=False, dump_flags=flags)
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


def run_here(file: str, report: str) -> int:
    import pytest

    replace_solvers()
    return pytest.main([*OPTIONS, f"--junitxml={report}", file])


OPTIONS = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=."]


def run(folder: Path, file: str, own: bool, log: Path | None) -> tuple[int, list[str], float]:
    with TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        if own:
            command = ["-m", "pytest", *OPTIONS, f"--junitxml={report}", file]
        else:
            command = [str(Path(__file__).resolve()), "--here", str(report), ".", file]
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
        )
        if log is not None:
            (log / (file.replace("/", "_") + ".log")).write_text(done.stdout + done.stderr)
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
    parser.add_argument("--log", type=Path, help="a folder for what pytest says")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        sys.exit(run_here(given.files[0], given.here))
    sums = [0, 0]
    for file in given.files:
        passed, failed, seconds = run(given.folder, file, given.own, given.log)
        sums = [sums[0] + passed, sums[1] + len(failed)]
        print(f"{file}: {passed} passed, {len(failed)} failed, {seconds:.1f} s", *failed, flush=True)
    print(f"{sums[0]} passed, {sums[1]} failed")


if __name__ == "__main__":
    main()
