"""Scripts of the guides in docs/how-to print what the pages show."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.(\d*)$")


def fences(page, language):
    return [text for kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind == language]


def scripts(page):
    """Text of each script by its name, which the first line has: "# uv.py"."""
    return {text[2 : text.index("\n")]: text for text in fences(page, "python")}


def shown(page):
    """What each script is shown to print, by its name."""
    printed, name = {}, None
    for line in "\n".join(fences(page, "console")).splitlines():
        if line.startswith("$ "):
            words = line.split()
            name = words[2] if words[1] == "python" else None
            if name:
                printed[name] = []
        elif name:
            printed[name].append(line)
    return printed


def is_same_word(a, b):
    """Numbers may differ by one in the last digit shown."""
    a, b = a.strip("[],"), b.strip("[],")
    number = NUMBER.match(a)
    if a == b or not (number and NUMBER.match(b)):
        return a == b
    return abs(float(a) - float(b)) < 1.01 * 10.0 ** -len(number[1])


def is_same(a, b):
    return len(a.split()) == len(b.split()) and all(map(is_same_word, a.split(), b.split()))


GUIDES = [page for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if fences(page, "python")]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_the_scripts_of_a_guide_print_what_it_shows(page, tmp_path):
    pytest.importorskip("pyscf")
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    printed = shown(page)
    assert printed.keys() == scripts(page).keys()
    for name, text in scripts(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, name], cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert len(lines) == len(printed[name]), done.stdout
        for expected, line in zip(printed[name], lines):
            assert is_same(expected, line), f"{name} prints: {line}\nshown: {expected}"


def test_numbers_are_compared_to_the_last_digit_shown():
    assert is_same("E -1.234 [0.5 1. ]", "E -1.235 [0.5 1. ]")
    assert not is_same("E -1.234", "E -1.236")
    assert not is_same("E -1.234", "F -1.234")
