"""Rows that go down in vectors go where the plain stand-ins send them."""

import numpy as np
import pytest

from rankwise import _lanes, _walks
from rankwise._jit import jit
from rankwise._walks import ENTRY, WALKERS

HEIGHT, N_COLUMNS, N_NODES = 2 * WALKERS, 5, 63


@jit(cache=False)
def entered(cells, first, columns, thresholds, ends, standing):
    """Call the intrinsic from compiled code."""
    _walks.enter(cells, first, columns, thresholds, ends, standing)


@jit(cache=False)
def walked(cells, nodes, shift, steps, root, rows, standing, first, n, kept, leaves):
    """Call the intrinsic from compiled code."""
    return _walks.walk(cells, nodes, shift, steps, root, rows, standing, first, n, kept, leaves)


@jit(cache=False)
def added(sums, block, values, first):
    """Call the intrinsic from compiled code."""
    _lanes.add_numbers(sums, block, values, first)


def some_cells(rng, dtype):
    cells = rng.integers(0, 9, N_COLUMNS * HEIGHT).astype(dtype)
    cells[rng.random(len(cells)) < 0.1] = np.nan
    return cells


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_enter_where_the_stand_in_sends_them(dtype):
    rng = np.random.default_rng(0)
    n_tests = (1 << ENTRY) - 1
    columns = (rng.integers(0, N_COLUMNS, n_tests) * HEIGHT).astype(np.uint32)
    tests = columns, rng.integers(0, 9, n_tests).astype(dtype)
    ends, found = rng.permutation(1 << ENTRY).astype(np.uint32), np.zeros((2, HEIGHT), np.uint32)
    cells = some_cells(rng, dtype)
    for first in (0, WALKERS):
        entered(cells, first, *tests, ends, found[0])
        _walks._plain_enter(cells, first, *tests, ends, found[1])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(("word", "dtype"), [(np.uint32, np.float32), (np.uint64, np.float64)])
@pytest.mark.parametrize("n", [1, WALKERS + 3, 2 * WALKERS])
def test_rows_walk_where_the_stand_in_sends_them(word, dtype, n):
    rng = np.random.default_rng(n)
    shift, node = 12, np.arange(N_NODES)
    is_leaf = node >= N_NODES // 2
    column = rng.integers(0, N_COLUMNS - 1, N_NODES) * HEIGHT
    links = np.where(
        is_leaf, node << shift | (N_COLUMNS - 1) * HEIGHT, 2 * node + 1 << shift | column
    )
    thresholds = rng.integers(0, 9, N_NODES).astype(dtype)
    nodes = np.stack([links.astype(word), thresholds.view(word)], axis=1).reshape(-1)
    cells = some_cells(rng, dtype)
    cells[-HEIGHT:] = -np.inf
    found = []
    for walk in (walked, _walks._plain_walk):
        rows, standing = np.arange(2 * WALKERS, dtype=np.uint32), np.zeros(2 * WALKERS, np.uint32)
        standing[::3] = N_NODES - 1
        leaves, kept = np.full(2 * WALKERS, -1, np.int32), 0
        for first in range(0, n, WALKERS):
            kept = walk(cells, nodes, shift, 4, 7, rows, standing, first, n, kept, leaves)
        found.append((kept, rows[:kept].tolist(), standing[:kept].tolist(), leaves.tolist()))
    assert found[0] == found[1]
    assert found[0][0] + sum(leaf >= 0 for leaf in found[0][3]) == n


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_added_to_a_block(dtype):
    rng = np.random.default_rng(0)
    values, sums = rng.normal(size=30).astype(dtype), np.ones((2, 3, _lanes.LANES))
    added(sums[0], 1, values, 5)
    _lanes._plain_add_numbers(sums[1], 1, values, 5)
    np.testing.assert_array_equal(*sums)
    assert (sums[0, [0, 2]] == 1).all()
