"""Boolean features: the kernels grow the trees of the plain twins, split by split."""

import numpy as np
import pytest

from engine.problems import (
    DECOMPOSITIONS,
    HONESTY,
    assert_grows_as_the_twin,
    assert_same_levels,
    assert_same_tree,
    grown,
    random_problem,
    twin,
)
from rankwise.engine import UNLIMITED, _growing
from rankwise.forest import ForestRanker

CRITERIA = pytest.mark.parametrize("criterion", ["breiman", "level"])


def boolean(rng, n, d):
    return (rng.random((n, d)) < rng.choice([0.5, 0.2])).astype(np.float64)


@CRITERIA
@DECOMPOSITIONS
@HONESTY
def test_small_trees_are_those_of_the_twin(criterion, decomposition, honesty):
    rng = np.random.default_rng([len(criterion), len(decomposition), *honesty.values()])
    for i in range(40):
        X = boolean(rng, int(rng.integers(1, 40)), int(rng.integers(1, 9)))
        problem = random_problem(rng, X, decomposition, **honesty, bootstrap=i % 2 == 1)
        assert_grows_as_the_twin(problem, criterion)


@CRITERIA
@DECOMPOSITIONS
@HONESTY
def test_trees_on_more_rows_than_a_word_holds_are_those_of_the_twin(
    criterion, decomposition, honesty
):
    rng = np.random.default_rng([len(criterion), len(decomposition), *honesty.values(), 1])
    for i, n in enumerate([31, 32, 33, 64, 65, 300]):
        X = boolean(rng, n, 10)
        problem = random_problem(
            rng,
            X,
            decomposition,
            **honesty,
            bootstrap=i % 2 == 1,
            k=4,
            min_leaf=1 + i % 2,
            max_depth=UNLIMITED,
            max_splits=-1,
        )
        assert_grows_as_the_twin(problem, criterion)


@CRITERIA
@DECOMPOSITIONS
@HONESTY
def test_a_tree_without_its_inner_nodes_has_the_means_of_its_leaves(
    criterion, decomposition, honesty
):
    rng = np.random.default_rng([len(criterion), len(decomposition), *honesty.values(), 2])
    X = boolean(rng, 60, 6)
    problem = random_problem(rng, X, decomposition, **honesty, bootstrap=True)
    whole, _ = grown(problem, criterion)
    lean, _ = grown(problem, criterion, keep_inner=False)
    np.testing.assert_array_equal(lean.means, whole.means[whole.feature < 0])
    np.testing.assert_array_equal(lean.left, whole.left)
    assert lean.gain.size == 0


def test_many_waiting_nodes_enlarge_the_pool_of_sums():
    # a chain: every cut leaves one large child and one that waits
    n, d = 400, 20
    rng = np.random.default_rng(0)
    X = np.tril(np.ones((d, d)))[rng.integers(d, size=n)]
    problem = random_problem(
        rng,
        X,
        "joint",
        honest=False,
        bootstrap=False,
        min_leaf=1,
        max_depth=UNLIMITED,
        max_splits=-1,
    )
    assert_grows_as_the_twin(problem, "breiman")


@pytest.mark.parametrize("max_splits", [0, 1, 2, 7, 40, 1000])
def test_a_budget_of_cuts_is_spent_breadth_first(max_splits):
    rng = np.random.default_rng(max_splits)
    problem = random_problem(
        rng,
        boolean(rng, 150, 8),
        "labelwise",
        honest=False,
        bootstrap=True,
        k=5,
        max_splits=max_splits,
        max_depth=UNLIMITED,
    )
    tree, _ = grown(problem, "breiman")
    assert (tree.feature >= 0).sum() <= max_splits
    assert_same_tree(tree, twin(problem, "breiman")[0], problem)


@CRITERIA
@pytest.mark.parametrize("k", [9, 17, 18, 40, 200])
def test_positions_of_many_labels_add_up_without_overflow(criterion, k):
    rng = np.random.default_rng(k)
    X = boolean(rng, 120, 5)
    for ties in (False, True):
        problem = random_problem(
            rng,
            X,
            "labelwise",
            honest=False,
            bootstrap=ties,
            k=k,
            max_splits=-1,
            max_depth=UNLIMITED,
        )
        assert_grows_as_the_twin(problem, criterion)


@CRITERIA
def test_features_beyond_one_block_are_found(criterion):
    rng = np.random.default_rng(3)
    X = np.zeros((60, 300))
    X[:, [5, 130, 299]] = boolean(rng, 60, 3)
    problem = random_problem(
        rng, X, "labelwise", honest=False, bootstrap=False, max_depth=UNLIMITED
    )
    assert_grows_as_the_twin(problem, criterion)


@CRITERIA
@HONESTY
def test_packed_and_plain_statistics_give_the_same_tree(criterion, honesty):
    rng = np.random.default_rng(4)
    for n in (5, 30, 100, 300):
        problem = random_problem(rng, boolean(rng, n, 12), "labelwise", **honesty, bootstrap=True)
        assert problem.statistics().packed.size
        tree, levels = grown(problem, criterion, packed=False)
        expected, expected_levels = twin(problem, criterion)
        assert_same_levels(levels, expected_levels)
        assert_same_tree(tree, expected, problem)


@CRITERIA
@DECOMPOSITIONS
@HONESTY
def test_fractional_weights_grow_the_tree_of_the_twin(criterion, decomposition, honesty):
    rng = np.random.default_rng([len(criterion), len(decomposition), *honesty.values(), 2])
    for i in range(10):
        n = int(rng.integers(2, 40))
        problem = random_problem(
            rng,
            boolean(rng, n, 4),
            decomposition,
            **honesty,
            bootstrap=i % 2 == 1,
            fractions=rng.integers(1, 9, n) / 4,
        )
        assert_grows_as_the_twin(problem, criterion)


@DECOMPOSITIONS
def test_weights_that_sums_round_explain_as_much_as_the_twin(decomposition):
    rng = np.random.default_rng(len(decomposition))
    for _ in range(10):
        n = int(rng.integers(10, 60))
        problem = random_problem(
            rng,
            boolean(rng, n, 4),
            decomposition,
            honest=False,
            bootstrap=False,
            fractions=rng.random(n) + 0.1,
            max_splits=-1,
        )
        tree, _ = grown(problem, "breiman")
        if not problem.targets.values.any():
            continue  # nothing but ties
        mean_targets = tree.means * problem.targets.scale - problem.targets.lowest
        assert np.nanmax(np.abs(mean_targets)) <= max(
            abs(y) for row in problem.twin_targets() for y in row if y is not None
        )
        assert_explains_as_much(tree, twin(problem, "breiman")[0])


def assert_explains_as_much(tree, expected):
    def total(node):
        return float(node.get("gain", 0)) + sum(map(total, node.get("children", ())))

    np.testing.assert_allclose(tree.gain.sum(), total(expected), rtol=1e-6, atol=1e-9)


def test_an_honest_tree_cuts_until_one_held_row_is_left():
    rng = np.random.default_rng(5)
    X = np.unique(boolean(rng, 200, 9), axis=0)
    problem = random_problem(
        rng,
        X,
        "joint",
        honest=True,
        bootstrap=False,
        min_leaf=1,
        max_depth=UNLIMITED,
        max_splits=-1,
        stop_when_pure=False,
    )
    tree, _ = grown(problem, "breiman")
    assert (tree.weight[tree.feature < 0] == 1).all()


def test_trees_that_grow_in_one_call_are_those_that_grow_one_by_one(monkeypatch):
    rng = np.random.default_rng(6)
    X, Y = boolean(rng, 200, 12), rng.random((200, 4)).argsort(axis=1) + 1.0
    forests = []
    for most in (_growing.MOST_NODES, 0):
        monkeypatch.setattr(_growing, "MOST_NODES", most)
        forests.append(ForestRanker(3, max_features=0.5, random_state=0).fit(X, Y))
    together, alone = (vars(forest._trees) for forest in forests)
    for name in ("feature", "left", "roots", "depths", "values"):
        np.testing.assert_array_equal(together[name], alone[name], err_msg=name)
    np.testing.assert_array_equal(
        forests[0].label_importances_, forests[1].label_importances_, err_msg="importances"
    )
