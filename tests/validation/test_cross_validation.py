"""The one cross-validation: any folds, weights and groups; no test row is seen in training."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, RepeatedKFold

from rankwise.baselines import Consensus, KNNKemeny
from rankwise.datasets import load
from rankwise.metrics import kendall_tau
from rankwise.tree import TreeRanker
from rankwise.validation import SHARES, CrossValidation, cross_validate, draw_folds, mean_sd


class Notes(BaseEstimator):
    """Keeps the first feature of its training rows, and predicts one ranking."""

    def __init__(self, seen=None):
        self.seen = seen

    def fit(self, X, y, sample_weight=None):
        self.n_labels_ = np.shape(y)[1]
        self.seen.append((np.asarray(X)[:, 0].astype(int), np.asarray(y), sample_weight))
        return self

    def predict(self, X):
        return np.tile(np.arange(1, self.n_labels_ + 1), (len(X), 1))

    def predict_pairwise(self, X):
        return np.broadcast_to(np.asarray(X)[:, :1, None], (len(X), self.n_labels_, self.n_labels_))


def problem(n=30, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n), rng.normal(size=n)])
    return X, rng.random((n, k)).argsort(axis=1).argsort(axis=1) + 1.0


def noting():
    seen = []
    return seen, lambda _: Notes(seen)


def test_a_number_of_folds_holds_every_row_out_once_per_repetition():
    X, y = problem()
    seen, make = noting()
    found = cross_validate(make, X, y, cv=4, repeats=2, seed=3)
    tests = [set(range(30)) - set(rows) for rows, _, _ in seen]
    for part in (tests[:4], tests[4:]):
        assert sorted(row for test in part for row in test) == list(range(30))
    assert tests[:4] != tests[4:]
    assert [len(test) for test in tests] == found.n_test
    assert all(len(values) == 8 for values in found.scores.values())


@pytest.mark.parametrize(
    "cv", [GroupKFold(4), 4, [(np.arange(15), np.arange(15, 30)), (range(15, 30), range(15))]]
)
def test_rows_of_a_group_are_never_on_both_sides(cv):
    X, y = problem()
    groups = np.repeat(np.arange(10), 3)
    seen, make = noting()
    cross_validate(make, X, y, cv=cv, groups=groups)
    for rows, _, _ in seen:
        others = np.setdiff1d(np.arange(30), rows)
        assert not set(groups[rows]) & set(groups[others])


@pytest.mark.parametrize(
    ("cv", "n_folds"),
    [
        (KFold(5), 5),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), 6),
        (PredefinedSplit(np.arange(30) % 3), 3),
        (((train, test) for train, test in KFold(2).split(np.zeros(30))), 2),
        ([(np.arange(30) < 20, np.arange(30) >= 20)], 1),
    ],
)
def test_splitters_and_given_folds_are_followed(cv, n_folds):
    X, y = problem()
    seen, make = noting()
    found = cross_validate(make, X, y, cv=cv)
    assert len(seen) == len(found.n_test) == n_folds
    assert all(len(rows) + n == 30 for (rows, _, _), n in zip(seen, found.n_test, strict=True))


def test_scores_are_those_of_a_plain_loop():
    X, y = problem(60)
    found = cross_validate(TreeRanker(random_state=0), X, y, cv=3, seed=5)
    expected = [
        kendall_tau(y[test], TreeRanker(random_state=0).fit(X[train], y[train]).predict(X[test]))
        for train, test in draw_folds(60, 3, seed=5)
    ]
    assert found.scores["tau"] == expected
    assert found.summary("tau")["sd"] == pytest.approx(np.std(expected, ddof=1))
    assert found.summary("tau")["sd"] == mean_sd(expected)[1]


def test_weights_go_to_the_fit_and_are_those_of_its_rows():
    X, y = problem()
    seen, make = noting()
    cross_validate(make, X, y, cv=3, sample_weight=np.arange(30.0))
    for rows, _, weights in seen:
        np.testing.assert_array_equal(weights, rows)
    heavy = np.where((y == [1, 2, 3]).all(axis=1), 1000.0, 1.0)
    found = cross_validate(Consensus(), X, y, cv=3, sample_weight=heavy)
    np.testing.assert_array_equal(found.ranks, np.tile([1, 2, 3], (30, 1)))


def test_weights_are_refused_where_a_ranker_takes_none():
    X, y = problem()
    with pytest.raises(ValueError, match="have weights, which KNNKemeny does not take"):
        cross_validate(KNNKemeny(), X, y, sample_weight=np.ones(30))


def test_rows_may_be_learned_from_one_ranking_and_measured_against_another():
    X, y = problem()
    seen, make = noting()
    right = np.tile([1.0, 2, 3], (30, 1))
    found = cross_validate(make, X, y, cv=3, y_test=right)
    assert found.scores["tau"] == [1.0] * 3
    for rows, taught, _ in seen:
        np.testing.assert_array_equal(taught, y[rows])


def test_training_rows_of_one_label_are_left_out_and_test_rows_are_not():
    X, y = problem()
    y[:5, 1:] = np.nan
    seen, make = noting()
    found = cross_validate(make, X, y, cv=3)
    assert all(min(rows) >= 5 for rows, _, _ in seen)
    assert sum(found.n_test) == 30


def test_held_out_predictions_are_those_of_the_first_time_a_row_is_held_out():
    X, y = problem()
    found = cross_validate(Notes([]), X, y, cv=3, repeats=2, keep=SHARES)
    np.testing.assert_array_equal(found.kept["shares"][:, 0, 1], np.arange(30))
    half = cross_validate(Notes([]), X, y, cv=[(np.arange(10), np.arange(20, 30))])
    assert np.isnan(half.ranks[:20]).all()
    assert not np.isnan(half.ranks[20:]).any()
    assert not half.kept


def test_frames_keep_their_names():
    X, y = problem()
    frames = pd.DataFrame(X, columns=["row", "x"]), pd.DataFrame(y, columns=["tea", "milk", "ale"])
    plain = cross_validate(TreeRanker(random_state=0), X, y, cv=3)
    assert cross_validate(TreeRanker(random_state=0), *frames, cv=3).scores == plain.scores


def test_each_fold_is_counted():
    X, y = problem()
    counted = []
    cross_validate(Notes([]), X, y, cv=3, each_fold=lambda: counted.append(1))
    assert len(counted) == 3


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cv": 1}, "give from 2 to 30 folds"),
        ({"cv": 31}, "31 folds of 30 rows"),
        ({"cv": 5, "groups": np.arange(30) % 4}, "5 folds of 4 groups"),
        ({"cv": 3, "groups": [1, 2]}, "groups has 2 entries for 30 rows"),
        ({"cv": KFold(3), "repeats": 2}, "repeats is 2"),
        ({"cv": [([0, 1, 2], [2, 3])]}, "fold 0: row 2 is in training and in test"),
        ({"cv": [([0, 1], [30])]}, "rows by number from 0 to 29"),
        ({"cv": [([0, 1], [])]}, "fold 0: give rows"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        cross_validate(Notes([]), *problem(), **options)


def validation_of(values, n_train=4, n_test=1):
    return CrossValidation(values, np.empty(0), n_train=[n_train], n_test=[n_test])


def test_the_interval_is_wider_than_folds_as_if_independent():
    values = [0.5, 0.6, 0.7, 0.6, 0.55]
    found = validation_of({"tau": values}).summary("tau")
    naive = 2.776 * np.std(values, ddof=1) / np.sqrt(5)
    assert np.isclose(found["high"] - found["mean"], naive * np.sqrt(1 + 5 * 0.25), rtol=1e-3)


def test_folds_without_a_value_are_left_out_of_the_mean():
    found = validation_of({"tau": [0.5, float("nan")], "exact": [float("nan")]})
    assert found.summary("tau") == {
        "mean": 0.5, "sd": None, "low": None, "high": None, "n": 1,
    }  # fmt: skip
    assert found.summary("exact")["mean"] is None


@pytest.mark.parametrize("other", ["y", "y_test", "sample_weight"])
def test_rows_that_do_not_belong_together_are_refused(other):
    X, y = problem()
    names = [f"plot {i}" for i in range(30)]
    frames = {
        "y": pd.DataFrame(y, index=names),
        "y_test": pd.DataFrame(y, index=names),
        "sample_weight": pd.Series(1.0, index=names),
    }
    X = pd.DataFrame(X, index=names)
    cross_validate(TreeRanker(), X, **frames)
    with pytest.raises(ValueError, match=f"{other}, row 0: its index is 'plot 29'"):
        cross_validate(TreeRanker(), X, **{**frames, other: frames[other][::-1]})
    with pytest.raises(ValueError, match=f"X has 30 rows but {other} has 29"):
        cross_validate(TreeRanker(), X, **{**frames, other: frames[other][:-1]})


def test_lists_are_taken_as_arrays_are():
    X, y = problem()
    by_lists = cross_validate(TreeRanker(random_state=0), X.tolist(), y.tolist())
    assert by_lists.scores == cross_validate(TreeRanker(random_state=0), X, y).scores


def test_where_ranks_are_not_asked_for_nothing_is_ranked_and_what_is_kept_stays_the_same():
    X, y = load("generated/iris")

    class Unranked(TreeRanker):
        def predict(self, X, top=None):
            raise AssertionError

    whole = cross_validate(TreeRanker(random_state=0), X, y, cv=3, keep=SHARES)
    kept = cross_validate(Unranked(random_state=0), X, y, cv=3, keep=SHARES, ranked=False)
    np.testing.assert_array_equal(kept.kept["shares"], whole.kept["shares"])
    assert (kept.scores, kept.predict_seconds, len(kept.fit_seconds)) == ({}, [], 3)
    assert np.isnan(kept.ranks).all()
