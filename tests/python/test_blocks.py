"""Blocks that a function shares with the solver, by DLPack: in the memory of the host what test_devices.py does on a device."""

from __future__ import annotations

import gc

import ci_solve
import numpy as np
import pytest
from ci_solve import _blocks

LEVELS = np.arange(3000.0)


def scaled(x):
    return LEVELS[:, None] * x


def solved(function, k=2, **given):
    return ci_solve.eigsh(function, k, n=LEVELS.size, library=np.from_dlpack, **given)


class Foreign:
    """Another library's array, which tells what it was asked for."""

    def __init__(self, array, device=None, knows_versions=True):
        self._array = array
        self._device = device or array.__dlpack_device__()
        self._knows_versions = knows_versions
        self.asked = []

    def __dlpack__(self, *, stream=None, **given):
        if given and not self._knows_versions:
            raise TypeError("an unexpected argument")
        self.asked.append(stream)
        return self._array.__dlpack__(stream=stream, **given)

    def __dlpack_device__(self):
        return self._device


@pytest.mark.parametrize("order", "FC")
def test_states_are_those_of_copies(order):
    expected, _ = ci_solve.eigsh(scaled, 2, n=LEVELS.size)
    w, v = solved(lambda x: np.asarray(scaled(x), order=order))
    assert np.allclose(w, expected, rtol=0, atol=1e-12)
    assert np.linalg.norm(scaled(v) - v * w, axis=0).max() < 1e-7


def test_a_block_is_the_memory_of_the_solver():
    seen = []

    def multiply(x):
        seen.append((x.flags.owndata, x.shape[0], x.strides[0], x.dtype))
        return scaled(x)

    solved(multiply)
    assert set(seen) == {(False, LEVELS.size, 8, np.dtype(np.float64))}


def test_a_block_of_any_width_is_given_back():
    widths = set()

    def multiply(x):
        widths.add(x.shape[1])
        assert np.abs(x).max() > 0  # each column of the block is there
        return scaled(x)

    w, _ = solved(multiply, 4)
    assert np.allclose(w, range(4), atol=1e-9)
    assert max(widths) > 1


def test_vectors_are_kept_by_who_sees_them():
    _, v = solved(scaled)
    assert not v.flags.owndata
    kept = v.copy()
    gc.collect()
    solved(scaled, 3)
    assert (v == kept).all()


def test_vectors_found_are_start_vectors():
    _, v = solved(scaled)
    products = 0

    def counted(x):
        nonlocal products
        products += x.shape[1]
        return scaled(x)

    w, _ = solved(counted, start=v, search="none")
    assert products < 10
    assert np.allclose(w, [0, 1], atol=1e-9)


@pytest.mark.parametrize("knows_versions", [True, False])
def test_others_are_asked_by_the_protocol(knows_versions):
    answers = []

    def multiply(x):
        answers.append(Foreign(np.asfortranarray(scaled(np.from_dlpack(x))), None, knows_versions))
        return answers[-1]

    w, v = ci_solve.eigsh(multiply, 2, n=LEVELS.size, library="dlpack")
    assert np.allclose(w, [0, 1], atol=1e-9)
    assert all(answer.asked == [None] for answer in answers)  # the host has no streams
    assert v.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(v).shape == (LEVELS.size, 2)


def test_what_must_not_be_written_to_can_be_given():
    def multiply(x):
        y = np.asfortranarray(scaled(x))
        y.flags.writeable = False
        return y

    assert np.allclose(solved(multiply)[0], [0, 1], atol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x: scaled(x)[1:], r"of the shape \(2999, 1?\d\); expected an array of the shape \(3000, "),
        (lambda x: scaled(x)[:, 0], r"of the shape \(3000\); expected"),
        (lambda x: scaled(x).astype(np.float32), "an array of another precision; expected .* in double precision"),
        (lambda x: scaled(x) * 1j, "an array of another precision"),
        (lambda x: scaled(x).tolist(), "of the type list, which does not support DLPack"),
        (lambda x: Foreign(scaled(x), (2, 1)), "an array on cuda:1; expected .* on the host, like"),
        (lambda x: Foreign(scaled(x), (8, 0)), "a device of DLPack's kind 8"),
        (lambda x: Foreign(np.repeat(scaled(x), 2, axis=0)[::2]), "columns are not contiguous"),
    ],
)
def test_what_is_no_such_block_is_refused_by_what_it_is(wrong, words):
    with pytest.raises(ci_solve.UsageError, match=words):
        solved(wrong)


def test_an_error_of_another_library_comes_through():
    class Refusing(Foreign):
        def __dlpack__(self, **_):
            raise BufferError("not to be had")

    with pytest.raises(BufferError, match="not to be had"):
        solved(lambda x: Refusing(scaled(x)))

    def broken(_):
        raise LookupError("of the user's")

    with pytest.raises(LookupError, match="of the user's"):
        solved(broken)


def test_an_unknown_library_is_named_in_the_error():
    with pytest.raises(ci_solve.UsageError, match="expected numpy, torch, cupy, dlpack"):
        ci_solve.eigsh(scaled, n=LEVELS.size, library="tortch")


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ci_solve.BackendError, match="(?i)cuda"):
        ci_solve.eigsh(scaled, n=LEVELS.size, backend="cuda:99")


def test_a_matrix_says_where_it_lies():
    def kind(module, **members):
        made = type("Matrix", (), members)
        made.__module__ = module
        return made()

    device = type("Device", (), {"index": 2, "id": 1})()
    data = type("Data", (), {"device": device})()
    assert _blocks.library_and_backend_of(kind("torch", is_cuda=True, device=device)) == ("torch", "cuda:2")
    assert _blocks.library_and_backend_of(kind("torch", is_cuda=False, device=device)) == ("torch", "openmp")
    assert _blocks.library_and_backend_of(kind("cupy", dtype="float64", device=device)) == ("cupy", "cuda:1")
    assert _blocks.library_and_backend_of(kind("cupyx.scipy.sparse", dtype="float64", data=data)) == ("cupy", "cuda:1")
    assert _blocks.library_and_backend_of(np.eye(2)) is None
    assert _blocks.library_and_backend_of(kind("torch.nn")) is None  # a function is asked for its library
