"""What vector instructions do with lanes of targets and of features is what the plain stand-ins do."""

import numpy as np
import pytest

from rankwise import _feature_lanes, _lanes
from rankwise._blocks import LANES
from rankwise._jit import jit

SHIFT, SMALL = 16, 32
MASK = np.uint64((1 << SHIFT) - 1)
N_FEATURES = 2 * LANES


@jit(cache=False)
def searched(line, mask, weights, centred, first, size, left, squares, n, best):
    """Call the intrinsics from compiled code."""
    _lanes.write_left_weights(line, mask, weights, size, left)
    _lanes.add_two_centred_squares(line, mask, centred, 0, SMALL, first, squares, size)
    return _lanes.places_above(squares, left, 0, n, 1.0, 0.0, best)


def searched_plainly(line, mask, weights, centred, first, size, left, squares, n, best):
    _lanes._plain_write_left_weights(line, mask, weights, size, left)
    _lanes._plain_adding_centred_squares(2)(line, mask, centred, 0, SMALL, first, squares, size)
    return _lanes._plain_places_above(squares, left, 0, n, 1.0, 0.0, best)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("size", [1, 4, 5, 8, 9, 12, 17])
@pytest.mark.parametrize("best", [-1.0, 2.0])
def test_positions_of_a_list_are_searched_as_by_the_stand_ins(dtype, size, best):
    rng = np.random.default_rng(size)
    line = np.zeros(SMALL + 2 * LANES, dtype)
    places = rng.permutation(SMALL)[: size + 1]
    line[: size + 1] = np.sort(rng.integers(0, 9, size + 1)) << SHIFT | places
    weights = rng.integers(1, 4, SMALL)
    centred, first = (rng.integers(-9, 9, n * LANES) * 1.0 for n in (2 * SMALL, 2))
    found = []
    for search in (searched, searched_plainly):
        left, squares = np.zeros((2, -(-size // LANES) * LANES))
        n = float(weights[places].sum())
        bits = search(line, MASK, weights, centred, first, size, left, squares, n, best)
        found.append((bits, left, squares[:size]))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(found[0][2], found[1][2])


@jit(cache=False)
def binned(bins, offsets, codes, lanes):
    """Call the intrinsic from compiled code."""
    for row in range(codes.shape[0]):
        _lanes.add_to_bins(bins, 1, 2, offsets, codes, row, lanes, row)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_rows_are_added_to_the_bins_of_their_codes(dtype):
    rng = np.random.default_rng(0)
    offsets = np.array([0, 4, 6, 11], np.uint64)
    codes = np.stack([rng.integers(0, n, 9) for n in (4, 2, 5)], axis=1).astype(dtype)
    lanes = rng.integers(0, 99, (9, LANES)).astype(np.int32)
    bins = np.zeros((22, LANES), np.int32)
    binned(bins.reshape(-1), offsets, codes, lanes.reshape(-1))
    expected = np.zeros((11, LANES), np.int32)
    for row, own in zip(codes, lanes, strict=True):
        for first, code in zip(offsets.astype(int), row.astype(int), strict=False):
            expected[first + code] += own
    np.testing.assert_array_equal(bins[1::2], expected)
    assert not bins[::2].any()
    plain = np.zeros_like(bins)
    for row in range(9):
        _lanes._plain_add_to_bins(plain, 1, 2, offsets, codes, row, lanes, row)
    np.testing.assert_array_equal(plain, bins)


@jit(cache=False)
def cut(states, low, high, threshold, gaps_right, values, rows, words, gaps, sums):
    """Call the intrinsics from compiled code."""
    _feature_lanes.draw_cuts(states, low, high, threshold, gaps_right, 2)
    for block in range(2):
        _feature_lanes.sum_words_above(
            values, 2, block, rows, words, 4, 0, threshold, gaps, gaps_right, sums
        )


def cut_plainly(states, low, high, threshold, gaps_right, values, rows, words, gaps, sums):
    _feature_lanes._plain_draw_cuts(states, low, high, threshold, gaps_right, 2)
    for block in range(2):
        _feature_lanes._plain_summing_above(4)(
            values, 2, block, rows, words, 4, 0, threshold, gaps, gaps_right, sums
        )


@pytest.mark.parametrize("with_gaps", [False, True])
def test_cuts_are_drawn_and_summed_as_by_the_stand_ins(with_gaps):
    rng = np.random.default_rng(0)
    values = rng.random((20, N_FEATURES))
    values[:, 3] = 0.5
    if with_gaps:
        # features of the second block have none, one of the first has no value at all
        values[rng.random(20) < 0.3, 2] = np.nan
        values[:, 4] = np.nan
    seen = ~np.isnan(values)
    low = np.where(seen, values, np.inf).min(axis=0)
    high = np.where(seen, values, -np.inf).max(axis=0)
    gaps = (~seen.all(axis=0)).astype(np.int64)
    states, words = rng.integers(1, 1 << 62, N_FEATURES), rng.integers(0, 99, 80)
    rows = np.arange(1, 20, 2, dtype=np.int32)
    found = []
    for draw in (cut, cut_plainly):
        own, threshold = states.copy(), np.zeros(N_FEATURES)
        gaps_right, sums = np.zeros(N_FEATURES, np.int64), np.zeros(4 * N_FEATURES, np.int64)
        draw(own, low, high, threshold, gaps_right, values.ravel(), rows, words, gaps, sums)
        found.append((own, threshold, gaps_right, sums))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    varies = low < high
    assert ((low <= threshold) & (threshold < high))[varies].all()
    assert np.isinf(threshold[~varies]).all()
