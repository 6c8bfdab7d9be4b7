#!/usr/bin/env python3
"""A small job survives bench/kill_and_resume, and a program that is content with less does not.

    kill_and_resume_test.py PROGRAM BENCH_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

JOB = """
problem: {lattice: {columns: 9}}
solver: {states: 2, method: davidson, tolerance: 1e-7}
backend: reference
"""
# In place of the program: what was resumed is content with less.
CARELESS = """#!/bin/sh
[ "$1" = resume ] && set -- "$@" --set solver.tolerance=0.01
exec "{program}" "$@"
"""


def survive(program, bench, folder):
    (folder / "job.yaml").write_text(JOB)
    done = subprocess.run([bench / "kill_and_resume", program, folder / "job.yaml", "--every", "0",
                           "--kills", "2", "--folder", folder, "--json", folder / "found.json"],
                          stdout=subprocess.PIPE, text=True)
    found = json.loads((folder / "found.json").read_text())
    assert found["survived"] == (done.returncode == 0), done.stdout
    return done, {case["case"]: case for case in found["cases"]}


def main():
    program, bench = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        done, cases = survive(program, bench, pathlib.Path(folder))
        assert done.returncode == 0, done.stdout
        assert cases["kill 1"]["exit"] == -9, done.stdout
        assert cases["let go on"]["products_in_all"] > 0, done.stdout
        assert "no checkpoint in iteration" in cases["room for half"]["messages"][0], done.stdout
        assert cases["just too little"]["exit"] == 71, done.stdout
        assert cases["just enough"]["exit"] == 0, done.stdout
    with tempfile.TemporaryDirectory() as folder:
        careless = pathlib.Path(folder) / "careless"
        careless.write_text(CARELESS.format(program=program))
        careless.chmod(0o755)
        done, cases = survive(careless, bench, pathlib.Path(folder))
        assert done.returncode == 1, done.stdout
        assert "a residual is above the tolerance" in cases["let go on"]["faults"], done.stdout


if __name__ == "__main__":
    main()
