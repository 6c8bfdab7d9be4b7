"""Whoever stops a solution keeps what it had reached."""

from __future__ import annotations

import linecache
import signal
import sys
import threading

import ci_solve
import numpy as np
import pytest

REQUEST = {"problem": {"lattice": {"columns": 8}}, "solver": {"method": "davidson", "states": 2}}


def test_control_c_ends_at_an_iteration_and_the_state_goes_on():
    whole = ci_solve.solve(REQUEST)

    def press(progress):
        if progress.iteration == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(ci_solve.Interrupted, match="start=error.state") as stopped:
        ci_solve.solve(REQUEST, progress=press)
    assert isinstance(stopped.value, KeyboardInterrupt)
    state = stopped.value.state
    assert state.iterations == 3 and len(state.energies) == 2
    seen = []
    for _ in range(2):  # a state is not used up
        rest = ci_solve.solve(REQUEST, start=state, progress=seen.append)
        assert np.allclose(rest.energies, whole.energies, atol=1e-9)
    assert seen[0].iteration == 3 and seen[0].products > 0
    assert np.isclose(seen[0].energies[0], state.energies[0], atol=1e-9)


def test_control_c_waits_for_nobody_who_listens():
    solve = ci_solve.solve.__code__

    def is_inside(frame):
        line = linecache.getline(solve.co_filename, frame.f_lineno)
        return frame.f_code is solve and "_core.run(" in line

    def press():
        while not is_inside(sys._current_frames()[threading.main_thread().ident]):
            pass
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        ci_solve.solve(REQUEST, progress=False)
    thread.join()
    assert isinstance(stopped.value, ci_solve.Interrupted)


def test_a_function_ends_a_solution_by_false():
    with pytest.raises(ci_solve.Interrupted):
        ci_solve.solve(REQUEST, progress=lambda progress: progress.iteration < 2)


def test_control_c_ends_an_operator_of_ones_own():
    levels = np.linspace(0, 10, 5000)

    def multiply(x):
        signal.raise_signal(signal.SIGINT)
        return levels[:, None] * x

    with pytest.raises(KeyboardInterrupt):
        ci_solve.eigsh(multiply, n=5000)


def test_other_threads_run_while_a_job_does():
    request = {"problem": {"lattice": {"columns": 10}}, "solver": {"method": "davidson"}}
    count = 0
    done = threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            count += 1

    thread = threading.Thread(target=work)
    slice_of_time = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that what runs when the job is over is next to nothing
    thread.start()
    try:
        before = count
        ci_solve.solve(request, progress=False)
        passed = count - before
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(slice_of_time)
    assert passed > 1_000_000  # far less than a tenth of the time of the job


def test_jobs_run_beside_one_another():
    alone = ci_solve.solve(REQUEST).energies
    found = [None] * 4

    def work(i):
        found[i] = ci_solve.solve(REQUEST).energies

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((energies == alone).all() for energies in found)
