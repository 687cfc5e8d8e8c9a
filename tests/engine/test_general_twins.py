"""Features of any kind: every threshold is tried, and all kernels find the twin's."""

import numpy as np
import pytest

from engine.problems import (
    assert_grows_as_the_twin,
    assert_same_tree,
    grown,
    random_problem,
    twin,
)
from rankwise.engine import UNLIMITED

CRITERIA = pytest.mark.parametrize("criterion", ["breiman", "level"])
DECOMPOSITIONS = pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise"])
HONESTY = pytest.mark.parametrize("honest", [False, True])


def continuous(rng, n, d):
    return rng.normal(size=(n, d))


def few_values(rng, n, d):
    return rng.integers(-2, 3, size=(n, d)).astype(np.float64)


def with_gaps(rng, n, d):
    X = few_values(rng, n, d) if rng.random() < 0.5 else continuous(rng, n, d)
    X[rng.random((n, d)) < 0.3] = np.nan
    return X


def extreme(rng, n, d):
    values = [-1.7e308, -1.0, -5e-324, 0.0, 5e-324, 1e-323, 1.0, np.nextafter(1.0, 2), 1.7e308]
    return rng.choice(values, size=(n, d))


@CRITERIA
@DECOMPOSITIONS
@HONESTY
@pytest.mark.parametrize("kind", [continuous, few_values, with_gaps, extreme])
def test_trees_are_those_of_the_twin(kind, criterion, decomposition, honest):
    rng = np.random.default_rng([len(kind.__name__), len(criterion), len(decomposition), honest])
    for i in range(8):
        X = kind(rng, int(rng.integers(2, 26)), int(rng.integers(1, 4)))
        problem = random_problem(rng, X, decomposition, honest=honest, bootstrap=i % 2 == 1)
        assert_grows_as_the_twin(problem, criterion)


@pytest.mark.parametrize("kind", [continuous, few_values])
def test_histograms_and_sorted_lists_grow_the_same_tree(kind):
    rng = np.random.default_rng(len(kind.__name__))
    for n in (20, 33, 120, 400):
        problem = random_problem(
            rng,
            kind(rng, n, 5),
            "labelwise",
            honest=False,
            bootstrap=True,
            k=6,
            max_splits=-1,
            max_depth=UNLIMITED,
        )
        assert len(problem.statistics().packed)
        by_histogram, _ = grown(problem, "breiman", packed=True)
        by_lists, _ = grown(problem, "breiman", packed=False)
        assert cuts_and_means(by_histogram) == cuts_and_means(by_lists)


def cuts_and_means(tree):
    """The tree by what it does: nodes may be numbered in any order."""

    def of(node):
        cut = tree.feature[node], tree.threshold[node], tree.missing_left[node]
        children = (tree.left[node], tree.left[node] + 1) if tree.feature[node] >= 0 else ()
        return (*cut, *tree.means[node], *map(of, children))

    return of(0)


def test_a_large_node_with_few_values_uses_its_histogram_as_the_twin_would():
    rng = np.random.default_rng(8)
    problem = random_problem(
        rng,
        few_values(rng, 250, 3),
        "labelwise",
        honest=False,
        bootstrap=False,
        k=4,
        max_splits=-1,
        max_depth=UNLIMITED,
    )
    assert_grows_as_the_twin(problem, "breiman")


@pytest.mark.parametrize("max_splits", [0, 1, 6, 50])
def test_a_budget_of_cuts_is_spent_breadth_first(max_splits):
    rng = np.random.default_rng(max_splits)
    for kind in (few_values, with_gaps):
        problem = random_problem(
            rng,
            kind(rng, 60, 3),
            "labelwise",
            honest=False,
            bootstrap=False,
            k=4,
            max_splits=max_splits,
            max_depth=UNLIMITED,
        )
        tree, _ = grown(problem, "breiman")
        assert (tree.feature >= 0).sum() <= max_splits
        assert_same_tree(tree, twin(problem, "breiman")[0], problem)


@CRITERIA
@DECOMPOSITIONS
def test_fractional_weights_grow_the_tree_of_the_twin(criterion, decomposition):
    rng = np.random.default_rng([len(criterion), len(decomposition)])
    for kind in (few_values, with_gaps, continuous):
        n = int(rng.integers(5, 26))
        problem = random_problem(
            rng,
            kind(rng, n, 2),
            decomposition,
            honest=bool(rng.random() < 0.5),
            bootstrap=False,
            fractions=rng.integers(1, 9, n) / 4,
        )
        assert_grows_as_the_twin(problem, criterion)
