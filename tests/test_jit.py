"""Kernels that only kernels call."""

import numba
import pytest

from rankwise._jit import jit


@jit(inner=True, cache=False)
def twice(x):
    """Double a number."""
    return 2 * x


@jit(cache=False)
def twice_and_one(x):
    """Call a kernel from a kernel."""
    return twice(x) + 1


def test_an_inner_kernel_serves_other_kernels():
    assert twice_and_one(3) == 7


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="kernels are plain Python then")
def test_an_inner_kernel_says_what_it_is_when_python_calls_it():
    twice_and_one(3)  # compiled: what crashed without the message
    with pytest.raises(TypeError, match="twice is an inner kernel"):
        twice(3)
