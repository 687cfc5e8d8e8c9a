"""What has no name in numba does what its plain stand-in does."""

import numpy as np
import pytest

from rankwise import _intrinsics
from rankwise._intrinsics import BLOCK, WORD_BITS
from rankwise._jit import jit


@jit(cache=False)
def summed(bits, b, values, rows, start, end, sums):
    """Call the intrinsic from compiled code."""
    _intrinsics.sum_where(bits, b, values, rows, start, end, sums)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_sums_where_a_bit_is_set(dtype, n_blocks):
    rng = np.random.default_rng(n_blocks)
    shape = (40, n_blocks * BLOCK // WORD_BITS)
    bits = rng.integers(1 << 32, size=shape, dtype=np.uint32)
    table = rng.integers(100, size=(40, 3)).astype(dtype)
    rows = rng.permutation(40).astype(np.int32)
    for values in (table[:, 1], table[:, 1].copy()):
        for start, end in ((0, 40), (7, 23), (5, 5), (39, 40)):
            for b in range(n_blocks):
                found = np.full((2, BLOCK + 2), 7).astype(dtype)
                summed(bits, b, values, rows, start, end, found[0, 1:-1])
                _intrinsics._plain_sum_where(bits, b, values, rows, start, end, found[1, 1:-1])
                np.testing.assert_array_equal(found[0], found[1])
                assert found[0, 0] == found[0, -1] == 7  # nothing is written beside them
    assert found[0, 1:-1].any()


def test_the_plain_stand_in_sums_what_numpy_sums():
    rng = np.random.default_rng(0)
    cells = rng.integers(2, size=(30, 2 * BLOCK), dtype=np.uint8)
    bits = np.packbits(cells, axis=1, bitorder="little").view("<u4").astype(np.uint32)
    values, rows = rng.integers(100, size=30), np.arange(4, 20)
    sums = np.empty(BLOCK, dtype=np.int64)
    _intrinsics._plain_sum_where(bits, 1, values, rows, 3, 9, sums)
    np.testing.assert_array_equal(sums, values[7:13] @ cells[7:13, BLOCK:])


def test_bits_are_counted():
    for word in (np.uint32(0), np.uint32(0b1011), np.uint32(2**32 - 1)):
        assert _intrinsics._plain_popcount(word) == bin(int(word)).count("1")


@jit(cache=False)
def gained(sums, totals, low_bits, gains):
    """Call the intrinsic from compiled code."""
    return _intrinsics.packed_gains(sums, totals, low_bits, gains)


@pytest.mark.parametrize("low_bits", [6, 8])
@pytest.mark.parametrize("n_packed", [1, 3])
def test_gains_of_packed_sums(low_bits, n_packed):
    rng = np.random.default_rng(n_packed)
    n = 60
    n1 = rng.integers(n + 1, size=2 * BLOCK)
    columns = [n1, *(rng.binomial(4 * n1, 0.3) for _ in range(2 * n_packed - 1))]
    totals = np.array([n, *rng.integers(200, size=2 * n_packed - 1), 0], dtype=np.int32)
    for column, total in zip(columns, totals[:-1], strict=True):  # an empty side explains nothing
        column[n1 == n] = total
    low, high = np.array(columns[::2]), np.array(columns[1::2])
    sums = (low | (high << low_bits)).astype(np.uint16)
    found, plain = (np.full(2 * BLOCK, 7, dtype=np.float32) for _ in range(2))
    top = gained(sums, totals, low_bits, found)
    assert found.view(np.int32).max() == top
    plain_top = _intrinsics._plain_packed_gains(sums, totals, low_bits, plain)
    np.testing.assert_allclose(found, plain, rtol=1e-6)
    assert plain.view(np.int32).max() == plain_top
    assert (found[(n1 == 0) | (n1 == n)] == 0).all()
    f = int(np.argmin(abs(n1 - n // 2)))
    exact = sum(
        (n * int(c[f]) - int(n1[f]) * int(s)) ** 2 for c, s in zip(columns, totals, strict=False)
    )
    np.testing.assert_allclose(found[f], exact / (n1[f] * (n - n1[f])), rtol=1e-6)
