"""Features of any kind: every threshold is tried, and all kernels find the twin's."""

from dataclasses import replace

import numpy as np
import pytest

from engine.problems import (
    DECOMPOSITIONS,
    HONESTY,
    assert_grows_as_the_twin,
    assert_same_tree,
    grown,
    random_problem,
    twin,
)
from rankwise.engine import (
    UNLIMITED,
    BooleanFeatures,
    PlainFeatures,
    code_features,
    flatten,
)

CRITERIA = pytest.mark.parametrize("criterion", ["breiman", "level"])


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
def test_trees_are_those_of_the_twin(kind, criterion, decomposition, honesty):
    seed = [len(kind.__name__), len(criterion), len(decomposition), *honesty.values()]
    rng = np.random.default_rng(seed)
    for i in range(8):
        X = kind(rng, int(rng.integers(2, 26)), int(rng.integers(1, 4)))
        shuffle = criterion == "breiman" and i % 4 > 1
        problem = random_problem(
            rng, X, decomposition, **honesty, bootstrap=i % 2 == 1, shuffle=shuffle
        )
        if not (shuffle and isinstance(problem.features(), BooleanFeatures)):
            assert_grows_as_the_twin(problem, criterion)


def few_values_with_gaps(rng, n, d):
    X = few_values(rng, n, d)
    X[rng.random((n, d)) < 0.1] = np.nan
    return X


@DECOMPOSITIONS
@HONESTY
@pytest.mark.parametrize("kind", [few_values, few_values_with_gaps])
def test_large_nodes_of_few_values_use_histograms_as_the_twin_would(kind, decomposition, honesty):
    seed = [len(kind.__name__), len(decomposition), *honesty.values(), 1]
    rng = np.random.default_rng(seed)
    for i in range(2):
        problem = random_problem(
            rng,
            kind(rng, 150, 3),
            decomposition,
            **honesty,
            bootstrap=i == 1,
            k=4,
            max_splits=-1,
            max_depth=UNLIMITED,
            fractions=None if i == 0 else rng.integers(1, 9, 150) / 4,
        )
        assert_grows_as_the_twin(problem, "breiman")


def mostly_the_same(rng, n, d):
    X = np.where(rng.random((n, d)) < 0.9, 0.0, rng.normal(size=(n, d)).round(1))
    X[rng.random(n) < 0.2, -1] = np.nan
    X[:, rng.integers(d)] = rng.normal(size=n)
    return X


@DECOMPOSITIONS
@HONESTY
def test_features_that_are_the_same_in_a_node_are_passed_over_as_the_twin_does(
    decomposition, honesty
):
    rng = np.random.default_rng([len(decomposition), *honesty.values(), 11])
    for i in range(3):
        X = mostly_the_same(rng, 70, 5)
        problem = random_problem(
            rng, X, decomposition, **honesty, bootstrap=i == 1, k=4, shuffle=i == 2,
            max_splits=-1, max_depth=UNLIMITED,
        )  # fmt: skip
        assert_grows_as_the_twin(problem, "breiman")


def test_bins_are_the_values_of_a_coarser_table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    features = code_features(X, max_bins=9)
    for decomposition in ("labelwise", "joint", "pairwise", "joint_pairwise"):
        options = {"honest": False, "bootstrap": False, "max_splits": -1, "max_depth": UNLIMITED}
        problem = random_problem(rng, X, decomposition, k=4, **options)
        coarse = np.where(np.isnan(X), np.nan, features.codes)
        by_bins, _ = grown(problem, "breiman", features=features)
        by_codes, _ = grown(replace(problem, X=coarse), "breiman")
        np.testing.assert_array_equal(by_bins.feature, by_codes.feature)
        np.testing.assert_array_equal(by_bins.left, by_codes.left)
        np.testing.assert_array_equal(by_bins.means, by_codes.means)
        # thresholds stand between bins: the rows of the tree fall where their codes do
        own, other = (flatten([tree], None, np.float64) for tree in (by_bins, by_codes))
        rows = problem.targets.outputs[problem.label].any(axis=1) | (not problem.targets.compares)
        np.testing.assert_array_equal(own.leaves(X[rows]), other.leaves(coarse[rows]))


@DECOMPOSITIONS
@HONESTY
@pytest.mark.parametrize("kind", [continuous, few_values, with_gaps, extreme])
def test_cuts_at_random_are_those_of_the_twin(kind, decomposition, honesty):
    seed = [len(kind.__name__), len(decomposition), *honesty.values(), 2]
    rng = np.random.default_rng(seed)
    for i in range(6):
        n, d = int(rng.integers(2, 26)), int(rng.integers(1, 12))
        X = kind(rng, n, d)
        X[0, 0], X[-1, 0] = 0.25, 0.5  # not Boolean, whatever was drawn
        fractions = rng.integers(1, 9, n) / 4 if i % 3 == 0 else None
        problem = random_problem(
            rng,
            X,
            decomposition,
            **honesty,
            bootstrap=i % 2 == 1,
            splitter="random",
            fractions=fractions,
            n_drawn=int(rng.integers(1, d + 1)),
        )
        if isinstance(problem.features(), PlainFeatures):
            assert_grows_as_the_twin(problem, "breiman")


@DECOMPOSITIONS
@pytest.mark.parametrize("kind", [continuous, with_gaps])
def test_numbers_of_single_precision_are_cut_at_random_as_the_twin_cuts_them(kind, decomposition):
    rng = np.random.default_rng([len(kind.__name__), len(decomposition), 7])
    for _ in range(4):
        X = kind(rng, 20, 9).astype(np.float32)
        X[0, 0], X[-1, 0] = 0.25, 0.5  # not Boolean, whatever was drawn
        problem = random_problem(
            rng, X, decomposition, honest=False, bootstrap=True, splitter="random", n_drawn=9
        )
        assert problem.features().values.dtype == np.float32
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
@pytest.mark.parametrize("decomposition", ["pairwise", "joint_pairwise"])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_weights_of_comparisons_grow_the_tree_of_the_twin(criterion, decomposition, splitter):
    if (criterion, splitter) == ("level", "random"):
        return
    rng = np.random.default_rng([len(criterion), len(decomposition), len(splitter)])
    for i, kind in enumerate((few_values, with_gaps, continuous, few_values)):
        n = int(rng.integers(5, 40))
        problem = random_problem(
            rng,
            kind(rng, n, 2),
            decomposition,
            honest=bool(rng.random() < 0.5),
            bootstrap=i % 2 == 0,
            fractions=rng.integers(1, 9, n) / 4 if i % 2 else None,
            splitter=splitter,
            max_splits=-1,
            max_depth=UNLIMITED,
        )
        weights = rng.integers(1, 400, problem.targets.values.shape) / 8
        problem = replace(problem, targets=replace(problem.targets, weights=weights))
        if splitter == "best" or isinstance(problem.features(), PlainFeatures):
            assert_same_tree(grown(problem, criterion)[0], twin(problem, criterion)[0], problem)


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
