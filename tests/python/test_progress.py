"""How a solution goes is shown to who looks on."""

from __future__ import annotations

import io
import sys
import types

import ci_solve
import pytest
from ci_solve import progress

STEP = progress.Progress(3, [-1.5, -1.0], [1e-3, 2e-4], 12, 8, False, 0.5)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_an_iteration_is_a_line():
    one = progress.Progress(3, [-1.5], [1e-3], 12, 8, False, 0.5)
    assert one.text() == "iteration 3: -1.500000000, residual 1.0e-03, 12 products"
    searching = progress.Progress(4, [-1.5, -1.0], [1e-9, 2e-9], 14, 8, True, 0.5)
    assert searching.text() == "iteration 4: -1.500000000, searching, 14 products"


def test_of_several_states_the_slowest_is_shown():
    assert STEP.text() == "iteration 3: state 1 of 2: -1.500000000, residual 1.0e-03, 12 products"
    last = progress.Progress(9, [-1.5, -1.0, -0.5], [1e-9, 1e-9, 2e-5], 40, 8, False, 0.5)
    assert last.slowest == 2
    assert last.text() == "iteration 9: state 3 of 3: -0.500000000, residual 2.0e-05, 40 products"


def test_a_terminal_has_one_line_that_is_written_over(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    meter = progress.Meter(least_seconds=0)
    meter(STEP)
    meter(STEP)
    meter.close("done")
    assert sys.stderr.getvalue().count("\r\x1b[K") == 3 and "\n" not in sys.stderr.getvalue()


def test_a_file_has_lines(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    ci_solve.solve({"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson"}}, progress=True)
    assert sys.stderr.getvalue().startswith("iteration 0: ")


def test_nobody_is_told_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.progress_callback(None) == (None, None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert progress.progress_callback(None)[1] is not None
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.progress_callback(None) == (None, None)


def test_a_notebook_is_shown_the_newest(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    notebook = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    meter = progress.Meter(least_seconds=0)
    meter(STEP)
    meter(STEP)
    meter.close("done")
    assert shown == [STEP.text()] * 2 + ["done: 3 iterations, 12 products"]
    del shown[:]
    chain = {"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson"}}
    ci_solve.solve(chain)
    assert shown[0].startswith("iteration 0: ") and shown[-1].startswith("done: ")


@pytest.mark.parametrize("words", ["sates", "irreps"])
def test_unknown_keywords_are_refused(words):
    with pytest.raises(TypeError, match="unknown keyword"):
        ci_solve.solve({"problem": {"lattice": {"columns": 4}}}, **{words: 1})
