"""What cannot be is told by the kind of error and in the program's words."""

from __future__ import annotations

import pickle

import ci_solve
import numpy as np
import pytest

CHAIN = {"problem": {"lattice": {"columns": 4}}}
H = np.diag([1.0, 2.0])
G = np.zeros((2, 2, 2, 2))


@pytest.mark.parametrize(
    ("error", "code", "words", "call"),
    [
        (ci_solve.ConfigurationError, 78, "did you mean", lambda: ci_solve.solve({"problm": {}})),
        (ci_solve.ConfigurationError, 78, "no source", lambda: ci_solve.solve({"threads": 1})),
        (ci_solve.ConfigurationError, 78, "two sources",
         lambda: ci_solve.solve(CHAIN, one_body=H, two_body=G, electrons=2)),
        (ci_solve.NoInputError, 66, "no-such-file.fcidump: the file does not exist; expected",
         lambda: ci_solve.solve("no-such-file.fcidump")),
        (ci_solve.ConfigurationError, 78, "does not state the numbering", lambda: ci_solve.solve(
            one_body=H, two_body=G, electrons=2, orbital_irreps=[1, 5], irrep="B1u")),
        (ci_solve.ConfigurationError, 78, "the given integrals: the orbital symmetries are not in Molpro's",
         lambda: ci_solve.solve(one_body=H, two_body=G, electrons=2, orbital_irreps=[0, 5],
                                orbital_symmetries="molpro")),
        (ci_solve.UsageError, 2, "core, orbital_irreps and point_group need integrals",
         lambda: ci_solve.solve(CHAIN, point_group="D2h")),
        (ci_solve.BadInputError, 65, "expected 16", lambda: ci_solve.solve(
            one_body=H, two_body=np.zeros(5), electrons=2)),
        (ci_solve.BadInputError, 65, "finite", lambda: ci_solve.solve(
            one_body=H * np.nan, two_body=G, electrons=2)),
        (ci_solve.BadInputError, 65, "mixed_two_body", lambda: ci_solve.solve(
            one_body=(H, H), two_body=(G, np.zeros(3), G), electrons=2)),
        (ci_solve.UsageError, 2, "without electrons", lambda: ci_solve.solve(one_body=H, two_body=G)),
        (ci_solve.UsageError, 2, "real", lambda: ci_solve.solve(
            one_body=H * 1j, two_body=G, electrons=2)),
        (ci_solve.UsageError, 2, "only one of one_body", lambda: ci_solve.solve(one_body=H, electrons=2)),
        (ci_solve.BackendError, 69, "(?i)cuda", lambda: ci_solve.solve(CHAIN, backend="cuda:99")),
        (ci_solve.ResourcesError, 71, "not enough memory", lambda: ci_solve.solve(
            {"problem": {"lattice": {"columns": 24}}}, memory="1 GiB")),
        (ci_solve.UsageError, 2, "core is None; expected a number", lambda: ci_solve.solve(
            one_body=H, two_body=G, electrons=2, core=None)),
        (ci_solve.UsageError, 2, "electrons is 'ten'; expected a whole number or", lambda: ci_solve.solve(
            one_body=H, two_body=G, electrons="ten")),
        (ci_solve.UsageError, 2, r"electrons is \(1, 1, 1\)", lambda: ci_solve.solve(
            one_body=H, two_body=G, electrons=(1, 1, 1))),
        (ci_solve.UsageError, 2, "electrons is 2.5", lambda: ci_solve.solve(CHAIN, electrons=2.5)),
        (ci_solve.UsageError, 2, "electrons is 'ud'", lambda: ci_solve.solve(CHAIN, electrons="ud")),
        (ci_solve.UsageError, 2, "k is 1.5; expected a whole number", lambda: ci_solve.eigsh(H, 1.5)),
        (ci_solve.UsageError, 2, "0 states; expected at least one", lambda: ci_solve.eigsh(H, 0)),
        (ci_solve.UsageError, 2, r"the shape \(1, 2\); expected vectors as columns, \(2, vectors\)",
         lambda: ci_solve.eigsh(H, start=[[1.0, 0.0]])),
        (ci_solve.UsageError, 2, "start does not hold numbers", lambda: ci_solve.eigsh(H, start="ab")),
        (ci_solve.UsageError, 2, "infinite or NaN", lambda: ci_solve.eigsh(H, start=[1.0, np.nan])),
        (ci_solve.UsageError, 2, "type ndarray; expected the state of", lambda: ci_solve.solve(
            CHAIN, start=np.ones(36))),
        (ci_solve.UsageError, 2, "has no shape", lambda: ci_solve.eigsh(lambda x: x)),
        (ci_solve.UsageError, 2, "no array in double", lambda: ci_solve.eigsh(lambda x: x[:1], n=2000)),
    ],
)
def test_each_kind_of_error_has_its_code_and_words(error, code, words, call):
    with pytest.raises(error, match=words) as raised:
        call()
    assert raised.value.exit_code == code


def test_results_are_pickled_without_their_solution_and_other_things_say_that_they_are_not(tmp_path):
    result = ci_solve.solve(CHAIN, states=2)
    again = pickle.loads(pickle.dumps(result))
    assert again.record == result.record
    assert (again.vectors == result.vectors).all()
    with pytest.raises(ci_solve.UsageError, match="loaded or pickled"):
        again.write(tmp_path / "files")
    with pytest.raises(TypeError, match="construct it from its request"):
        pickle.dumps(ci_solve.Hamiltonian(CHAIN))
    with pytest.raises(ci_solve.Interrupted) as stopped:
        ci_solve.solve(
            {**CHAIN, "solver": {"method": "davidson"}}, progress=lambda progress: progress.iteration < 1
        )
    with pytest.raises(TypeError, match="ci-solve resume"):
        pickle.dumps(stopped.value.state)


def test_files_that_exist_are_overwritten_as_python_says_it(tmp_path):
    result = ci_solve.solve(CHAIN)
    result.write(tmp_path)
    with pytest.raises(ci_solve.CannotWriteError, match="overwrite=True"):
        result.write(tmp_path)
    result.write(tmp_path, overwrite=True)


def test_errors_are_also_those_of_python():
    with pytest.raises(FileNotFoundError):
        ci_solve.solve("no-such-file.yaml")
    with pytest.raises(ValueError, match="unknown key"):
        ci_solve.solve({"problm": {}})


def test_an_error_of_a_function_comes_through():
    def broken(_):
        raise LookupError("of the user's")

    with pytest.raises(LookupError, match="of the user's"):
        ci_solve.eigsh(broken, n=2000)
    with pytest.raises(LookupError, match="of the user's"):
        ci_solve.solve({**CHAIN, "solver": {"method": "davidson"}}, progress=broken)


def test_states_that_did_not_converge_are_a_result_with_a_warning():
    request = {"problem": {"lattice": {"columns": 8}}, "solver": {"max_iterations": 1, "method": "davidson"}}
    with pytest.warns(ci_solve.SolveWarning, match="above the tolerance"):
        found = ci_solve.solve(request)
    assert found.exit_code == 3 and found.converged == [False]


def test_integrals_of_single_precision_cause_a_warning():
    with pytest.warns(ci_solve.SolveWarning, match="two_body holds numbers of float32, with 6 digits") as told:
        ci_solve.solve(one_body=H, two_body=G.astype(np.float32), electrons=2)
    assert told[0].filename == __file__
    with pytest.warns(ci_solve.SolveWarning, match="one_body holds numbers of float16"):
        ci_solve.Hamiltonian(one_body=H.astype(np.float16), two_body=G, electrons=2)
