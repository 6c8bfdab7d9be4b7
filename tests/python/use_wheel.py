"""Installs a wheel into an environment where there is nothing but Python, and uses it there: one that is
named, or one that is made of what the build has made. Exits with 77, and says why, where there is no NumPy."""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys

MOST_BYTES = 30 << 20
FOREIGN = ("scipy", "pyscf", "h5py", "torch", "cupy", "IPython")
USE = f"""
import sys, time
import numpy
start = time.perf_counter()
import ci_solve
seconds = time.perf_counter() - start
loaded = [name for name in {FOREIGN} if name in sys.modules]
assert not loaded, loaded
result = ci_solve.solve(one_body=[[0, -1], [-1, 0]], two_body=[4, 0, 0, 0, 0, 4], electrons=2)
assert abs(result.energies[0] + 2 * 2**0.5 - 2) < 1e-9, result.energies
assert result.verified
# Of a size that the kernels work on with whole registers, which a wheel has for several processors.
result = ci_solve.solve({{"problem": {{"lattice": {{"columns": 6}}}}, "solver": {{"states": 2}}}}, progress=False)
assert result.verified and len(result.energies) == 2
libraries = open("/proc/self/maps").read()
assert "libcuda" not in libraries and "libmpi" not in libraries
print(seconds)
"""


def run(*command: object) -> str:
    """What a command says; its words are shown where it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def make_wheel(source: pathlib.Path, core: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """Without compiling again what lies in `core`."""
    made = scratch / "wheel"
    shutil.rmtree(made, ignore_errors=True)
    run(
        *(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index"),
        *("--no-build-isolation", "-w", made),
        f"--config-settings=cmake.define.CISOLVE_PYTHON_CORE={core}",
        f"--config-settings=build-dir={scratch / 'wheel-build'}",
        source,
    )
    (wheel,) = made.glob("ci_solve-*.whl")
    return wheel


def main() -> None:
    """Does it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "core", "wheel"):
        parser.add_argument("--" + name, type=pathlib.Path)
    for name in ("scratch", "wheels"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    where = parser.parse_args()
    if not list(where.wheels.glob("numpy-*.whl")):
        print(f"skipped: no wheel of NumPy in {where.wheels}")
        sys.exit(77)
    wheel = where.wheel or make_wheel(where.source, where.core, where.scratch)
    environment = where.scratch / "empty"
    shutil.rmtree(environment, ignore_errors=True)
    run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-index", "--find-links", where.wheels, wheel)
    held = {line.split("==")[0].split(" @")[0] for line in run(python, "-m", "pip", "freeze").splitlines()}
    assert held == {"numpy", "ci-solve"}, held
    seconds = min(float(run(python, "-I", "-c", USE)) for _ in range(3))
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.1f} MB, imports in {seconds:.3f} s")
    assert size <= MOST_BYTES, size


if __name__ == "__main__":
    main()
