"""Kernels that only kernels call."""

import gc

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCPUCodegen

from rankwise._jit import jit


@jit(inner=True, cache=False)
def twice(x):
    """Double a number."""
    return 2 * x


@jit(inlined=True, cache=False)
def one_more(x):
    """Add one to a number."""
    return x + 1


@jit(cache=False)
def twice_and_one(x):
    """Call kernels from a kernel."""
    return one_more(twice(x))


def test_an_inner_kernel_serves_other_kernels():
    assert twice_and_one(3) == 7


@jit(inner=True, cache=False)
def squares_below(n):
    """Make an array, or refuse to."""
    if n < 0:
        raise ValueError("negative")
    squares = np.empty(n, np.int64)
    for i in range(n):
        squares[i] = i * i
    return squares


@jit(cache=False)
def sum_of_squares(n):
    """Add up what an inner kernel made."""
    total = 0
    for square in squares_below(n):
        total += square
    return total


def test_an_inner_kernel_may_make_arrays_and_raise_errors():
    assert sum_of_squares(4) == 14
    with pytest.raises(ValueError, match="negative"):
        sum_of_squares(-1)
    assert sum_of_squares(5) == 30


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled then")
def test_no_machine_code_is_made_of_an_inner_kernel_but_in_what_calls_it(monkeypatch):
    made, add = [], JITCPUCodegen._add_module

    def add_and_note(codegen, module):
        made.append(module)
        return add(codegen, module)

    monkeypatch.setattr(JITCPUCodegen, "_add_module", add_and_note)
    inner = jit(thrice, inner=True)

    def seven_times(x):
        return inner(2 * x) + x

    assert jit(seven_times, cache=False)(2) == 14
    assert len(made) == 1


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_an_inner_kernel_says_what_it_is_when_python_calls_it():
    twice_and_one(3)  # compiled: what crashed without the message
    with pytest.raises(TypeError, match="twice is an inner kernel"):
        twice(3)
    with pytest.raises(TypeError, match="one_more is an inner kernel"):
        one_more(3)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_garbage_is_collected_after_a_compilation_if_it_was_before(monkeypatch):
    during = []

    def kernel(x):
        return x

    monkeypatch.setattr(
        type(jit(kernel, cache=False)), "compile", lambda *_: during.append(gc.isenabled())
    )
    compiled = jit(kernel, cache=False)
    compiled.compile(())
    assert gc.isenabled()
    gc.disable()
    try:
        compiled.compile(())
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert during == [False, False]


def thrice(x):
    return 3 * x


def four_times(x):
    return 4 * x


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled then")
def test_a_full_disk_keeps_no_kernel_from_running_and_is_told_once(monkeypatch, recwarn):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    monkeypatch.setattr("rankwise._jit._cache_is_writable", True)
    kernels = [jit(thrice), jit(four_times)]
    assert [kernel(2) for kernel in kernels] == [6, 8]
    told = [str(found.message) for found in recwarn if found.category is RuntimeWarning]
    assert len(told) == 1
    assert "No space left on device" in told[0]
