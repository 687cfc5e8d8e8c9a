"""Trees in few bytes are the same trees."""

import itertools

import numpy as np
import pytest

from rankwise.engine import CompactTrees, joined_trees
from rankwise.forest import ForestRanker

FIELDS = ("feature", "threshold", "missing_left", "left", "roots", "depths", "value_row", "values")


def part_of(trees, some):
    """The trees of some numbers, one after the other, as flat ones of their own."""
    ends = np.append(trees.roots, len(trees.feature))
    nodes = slice(ends[some.start], ends[some.stop])
    rows = trees.value_row[nodes]
    first = rows[rows >= 0].min()
    inner = trees.feature[nodes] >= 0
    return type(trees)(
        feature=trees.feature[nodes],
        own_threshold=None if trees.own_threshold is None else trees.own_threshold[nodes],
        missing_left=trees.missing_left[nodes],
        left=np.where(inner, trees.left[nodes] - nodes.start, -1).astype(np.int32),
        roots=trees.roots[some] - nodes.start,
        depths=trees.depths[some],
        value_row=np.where(inner, -1, rows - first).astype(np.int32),
        values=trees.values[first : rows.max() + 1],
        boolean_thresholds=trees.boolean_thresholds,
    )


@pytest.mark.parametrize("kind", ["yes/no", "numbers", "tied", "one leaf", "many columns"])
def test_trees_joined_from_few_bytes_are_bit_equal(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 200 if kind == "many columns" else 5))
    X = X > 0 if kind == "yes/no" else np.where(rng.random(X.shape) < 0.1, np.nan, X)
    y = np.argsort(np.argsort(rng.normal(size=(300, 4)), axis=1), axis=1) + 1.0
    more = {"max_depth": 0} if kind == "one leaf" else {}
    if kind == "tied":
        y[::2, 1], more = y[::2, 0], {"decomposition": "joint_pairwise"}
    trees = ForestRanker(6, random_state=0, **more).fit(X, y)._trees
    per_sample = len(trees.roots) // 6
    ends = [0, per_sample, 4 * per_sample, 6 * per_sample]
    parts = [part_of(trees, slice(a, b)) for a, b in itertools.pairwise(ends)]
    joined = joined_trees([CompactTrees.of(part) for part in parts], n_jobs=2)
    for name in FIELDS:
        one, other = getattr(joined, name), getattr(trees, name)
        assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes()), name
    np.testing.assert_array_equal(joined.leaves(X), trees.leaves(X))


def test_few_bytes_are_a_third_of_those_of_yes_or_no_trees():
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 20)) < 0.5, rng.random((2000, 4)).argsort(axis=1) + 1
    trees = ForestRanker(2, random_state=0).fit(X, y)._trees
    few, many = (
        sum(a.nbytes for a in arrays if a is not None)
        for arrays in (CompactTrees.of(trees), (getattr(trees, name) for name in FIELDS))
    )
    assert few < 0.36 * many
