"""The first levels of a tree send rows where the plain stand-ins send them."""

import numpy as np
import pytest

from rankwise import _falling, _lanes
from rankwise._falling import CODE_ROWS, CODES, COLUMN_BITS, ENTRY, ROW_WORDS, TOP
from rankwise._jit import jit

HEIGHT, N_COLUMNS = CODE_ROWS + 32, 5


@jit(cache=False)
def decided(words, columns, places):
    """Call the intrinsic from compiled code."""
    _falling.decide(words, columns, places)


@jit(cache=False)
def decided_by_codes(cells, tests, places):
    """Call the intrinsic from compiled code."""
    _falling.decide_codes(cells, tests, places)


@jit(cache=False)
def added(sums, block, values, first):
    """Call the intrinsic from compiled code."""
    _lanes.add_numbers(sums, block, values, first)


def places_by_hand(goes_right, n_rows, n_levels):
    """The place of each row, where a function says whether a row goes right at a test."""
    places = []
    for row in range(n_rows):
        place = 0
        for level in range(n_levels):
            place = 2 * place + int(goes_right(row, (1 << level) - 1 + place))
        places.append(place)
    return places


def test_bits_send_rows_to_their_places():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 1 << 63, (9, ROW_WORDS), dtype=np.uint64) * np.uint64(2)
    columns = rng.integers(0, 9, (1 << TOP) - 1).astype(np.uint32)
    found = np.zeros((2, 64 * ROW_WORDS), np.uint8)
    decided(words, columns, found[0])
    _falling._plain_decide(words, columns, found[1])

    def goes_right(row, test):
        return int(words[columns[test], row // 64]) >> row % 64 & 1

    by_hand = places_by_hand(goes_right, 64 * ROW_WORDS, TOP)
    assert found.tolist() == [by_hand, by_hand]


@pytest.mark.parametrize("most", [1, 9, CODES])
def test_codes_send_rows_to_their_places(most):
    rng = np.random.default_rng(most)
    n_tests = (1 << ENTRY) - 1
    cells = rng.integers(0, most + 1, N_COLUMNS * HEIGHT).astype(np.uint16)
    cells[rng.random(len(cells)) < 0.1] = CODES
    columns, codes = rng.integers(0, N_COLUMNS, n_tests), rng.integers(0, most, n_tests)
    nodes = [
        7 << 40 | CODES - code << COLUMN_BITS | column * HEIGHT
        for column, code in zip(columns.tolist(), codes.tolist(), strict=True)
    ]
    tests, found = np.array(nodes, dtype=np.uint64), np.zeros((2, CODE_ROWS), np.uint8)
    decided_by_codes(cells, tests, found[0])
    _falling._plain_decide_codes(cells, tests, found[1])

    def goes_right(row, test):
        return cells[columns[test] * HEIGHT + row] > codes[test]

    by_hand = places_by_hand(goes_right, CODE_ROWS, ENTRY)
    assert found.tolist() == [by_hand, by_hand]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_added_to_a_block(dtype):
    rng = np.random.default_rng(0)
    values, sums = rng.normal(size=30).astype(dtype), np.ones((2, 3, _lanes.LANES))
    added(sums[0], 1, values, 5)
    _lanes._plain_add_numbers(sums[1], 1, values, 5)
    np.testing.assert_array_equal(*sums)
    assert (sums[0, [0, 2]] == 1).all()
