"""How near rows are to each other, by what features tell about rankings."""

import numpy as np
import pytest

import rankwise as rw
from forest import naive
from rankwise.forest import _nearness
from rankwise.forest._near_rows import NearRows
from rankwise.forest._nearness import learn_directions


def problem(n=50, d=4, m=6, seed=0):
    """Features of mean 0 and variance 1, and outcomes that some of them decide."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    outcomes = np.where(features @ rng.normal(size=(d, m)) + rng.normal(size=(n, m)) > 0, 1, -1)
    return features, outcomes, rng.integers(0, 3, n).astype(float), rng.dirichlet(np.ones(d))


def metric(*args):
    directions = learn_directions(*args)
    return directions @ directions.T


@pytest.mark.parametrize("together", [1 << 20, 100])
def test_distances_are_those_of_the_twin(monkeypatch, together):
    monkeypatch.setattr(_nearness, "TOGETHER", together)
    args = problem()
    np.testing.assert_allclose(metric(*args), naive.metric(*args), atol=1e-7)


def test_a_row_of_weight_two_counts_as_two_rows_and_one_of_weight_none_not():
    features, outcomes, weights, importances = problem()
    again = np.repeat(np.arange(len(features)), weights.astype(int))
    expected = metric(features[again], outcomes[again], np.ones(len(again)), importances)
    np.testing.assert_allclose(
        metric(features, outcomes, weights, importances), expected, atol=1e-7
    )


def test_the_order_of_labels_or_rows_leaves_distances_and_that_of_features_goes_along():
    features, outcomes, weights, importances = problem()
    expected = metric(features, outcomes, weights, importances)
    rows, columns = np.random.default_rng(1).permutation(50), [3, 0, 2, 1]
    turned = metric(features[rows], outcomes[rows][:, ::-1], weights[rows], importances)
    np.testing.assert_allclose(turned, expected, atol=1e-8)
    moved = metric(features[:, columns], outcomes, weights, importances[columns])
    np.testing.assert_allclose(moved, expected[np.ix_(columns, columns)], atol=1e-8)


def test_features_count_as_much_together_as_they_did():
    assert np.trace(metric(*problem())) == pytest.approx(4, abs=1e-6)


def test_without_slopes_importances_decide_without_cuts_slopes_and_without_both_nothing():
    features, outcomes, weights, importances = problem()
    same = np.ones_like(outcomes)
    roots = np.sqrt(importances)
    np.testing.assert_allclose(
        metric(features, same, weights, importances), np.diag(4 * roots / roots.sum()), atol=1e-7
    )
    by_slopes = metric(features, outcomes, weights, np.zeros(4))
    by_both = metric(features, outcomes, weights, importances)
    by_cuts = np.diag(4 * roots / roots.sum())
    np.testing.assert_allclose((by_slopes + by_cuts) / 2, by_both, atol=1e-7)
    np.testing.assert_allclose(metric(features, same, weights, np.zeros(4)), np.eye(4))


def test_a_feature_too_large_for_a_variance_leaves_the_slopes_of_the_others():
    features, outcomes, weights, _ = problem()
    huge = features.copy()
    huge[:, 1] *= 1e99
    found = metric(huge, outcomes, weights, np.zeros(4))
    assert np.isfinite(found).all()
    assert found[1, 1] == pytest.approx(0, abs=1e-8)
    without = features.copy()
    without[:, 1] = 0.0
    np.testing.assert_allclose(found, metric(without, outcomes, weights, np.zeros(4)), atol=1e-8)


def tied(n=100, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rw.ranks_from_scores(np.round(X[:, :2] @ rng.normal(size=(2, 4)) / 2))


def test_rows_that_differ_in_what_decides_nothing_are_nearer():
    X, Y = tied()
    importances = rw.ForestRanker(20, random_state=0).fit(X, Y).feature_importances_
    near = NearRows.of(X, Y, None, 0.2, importances)
    along = np.linalg.norm(near.directions, axis=1)
    assert along[:2].min() > along[2:].max()


def test_of_many_features_all_count_alike(monkeypatch):
    X, Y = tied(30)
    monkeypatch.setattr("rankwise.forest._near_rows.MOST_FEATURES", 5)
    assert NearRows.of(X, Y, None, 0.2, np.full(6, 1 / 6)).directions is None
