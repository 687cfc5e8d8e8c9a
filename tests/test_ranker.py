"""What all estimators share: gates, and the way from positions or chances to ranks."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from metrics import naive as naive_metrics
from pairwise import naive as naive_pairwise
from rankwise._parameters import check_weights
from rankwise.ranker import (
    BaseRanker,
    pairwise_by_position,
    positions_by_pairwise,
    ranks_by_pairwise,
    ranks_by_position,
    refuse_bad_numbers,
)
from rankwise.ranker._checks import warn_of_rounding
from rankwise.ranker._shares import FEW_LABELS
from rankwise.rankings import RankingWarning
from rankwise.tree import LabelwiseRanker, TreeRanker

positions = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6),
    elements=st.one_of(st.floats(1, 6), st.sampled_from([1.0, 2.0, 2.5])),
)


def chances_of(values):
    """A matrix of chances from any numbers: entries below the diagonal follow from those above."""
    k = values.shape[1]
    upper = np.triu(np.ones((k, k), dtype=bool), 1)
    p = np.where(upper, np.round(values, 3), 0.0)
    return p + np.where(upper.T, 1 - p.transpose(0, 2, 1), 0.0) + np.eye(k) / 2


chances = st.integers(2, 6).flatmap(
    lambda k: arrays(np.float64, (3, k, k), elements=st.floats(0, 1)).map(chances_of)
)


@given(positions)
def test_ranks_are_permutations_in_order_of_position(P):
    ranks = ranks_by_position(P)
    rounded = np.round(P, 9)
    for row, own in zip(rounded, ranks, strict=True):
        assert sorted(own) == list(range(1, len(own) + 1))
        for i, j in itertools.combinations(range(len(own)), 2):
            assert (own[i] < own[j]) == (row[i] <= row[j])


@pytest.mark.parametrize("k", [1, 2, FEW_LABELS, FEW_LABELS + 1])
@pytest.mark.parametrize("hostile", [(), (np.inf, -np.inf), (np.inf, np.nan)])
def test_ranks_are_those_of_a_stable_sort(k, hostile):
    P = np.random.default_rng(k).choice([1.0, 1.0 + 1e-12, 2.5, 3.0, -0.0, 0.0, *hostile], (50, k))
    expected = np.argsort(np.argsort(np.round(P, 9), axis=1, kind="stable"), axis=1) + 1
    for rows in (P, np.asfortranarray(P), P[::-1][::-1]):
        np.testing.assert_array_equal(ranks_by_position(rows), expected)


@given(chances)
def test_copeland_is_the_twins(C):
    expected = [naive_pairwise.copeland_by_shares(c.tolist()) for c in C]
    np.testing.assert_array_equal(ranks_by_pairwise(C, "copeland"), expected)


@given(chances)
def test_borda_orders_by_the_sum_of_chances(C):
    ranks = ranks_by_pairwise(C, "borda")
    for c, own in zip(C, ranks, strict=True):
        totals = np.round(c.sum(axis=1), 9)
        for i, j in itertools.permutations(range(len(own)), 2):
            if totals[i] > totals[j] + 1e-8:
                assert own[i] < own[j]


@given(chances)
def test_expected_positions_lie_between_1_and_k_and_add_up(C):
    P = positions_by_pairwise(C)
    k = C.shape[1]
    assert P.min() >= 1 - 1e-9
    assert P.max() <= k + 1e-9
    np.testing.assert_allclose(P.sum(axis=1), k * (k + 1) / 2)


@given(positions)
def test_chances_by_position_and_back_give_the_same_ranks(P):
    C = pairwise_by_position(P)
    np.testing.assert_allclose(C + C.transpose(0, 2, 1), 1.0)
    np.testing.assert_array_equal(np.diagonal(C, axis1=1, axis2=2), 0.5)
    np.testing.assert_array_equal(ranks_by_pairwise(C, "copeland"), ranks_by_position(P))


@pytest.mark.parametrize(
    ("value", "missing_allowed", "message"),
    [
        (np.inf, True, r"infinity \(inf\) in row 20000, feature 'rain'; replace it"),
        (-np.inf, False, r"infinity \(inf\) in row 20000, feature 'rain'"),
        (np.nan, False, r"NaN \(missing\) in row 20000, feature 'rain'; fill it in"),
    ],
)
def test_a_bad_number_is_named_by_row_and_feature(value, missing_allowed, message):
    X = np.zeros((20_001, 2))
    X[20_000, 1] = value
    with pytest.raises(ValueError, match=message):
        refuse_bad_numbers(X, np.array(["sun", "rain"]), missing_allowed)
    refuse_bad_numbers(np.full((2, 2), np.nan), None, missing_allowed=True)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"shape \(2,\) but there are 3 rows"),
        ([1, -1, 1], "row 1: sample_weight is -1"),
        ([1, 1, np.nan], "row 2: sample_weight is nan"),
        ([1, np.inf, 1], "row 1: sample_weight is inf"),
        ([0, 0, 0], "zero in every row"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)


class AlwaysFirst(BaseRanker):
    """Ranks the labels in the order of their columns."""

    def _fit(self, X, ranks, weights):
        self.weights_ = weights

    def _predict_positions(self, X):
        return np.tile(np.arange(1.0, self.n_labels_ + 1), (len(X), 1))


class Choosy(AlwaysFirst):
    _takes_ties = _takes_missing_labels = _takes_weights = False


X = np.arange(6.0).reshape(3, 2)
Y = np.array([[1, 2, 3], [2, 1, 3], [1, 3, 2]])


def test_arrays_give_arrays_and_frames_give_frames_with_the_same_names_and_rows():
    assert isinstance(AlwaysFirst().fit(X, Y).predict(X), np.ndarray)
    frame = pd.DataFrame(Y, columns=["tea", "coffee", "water"])
    model = AlwaysFirst().fit(X, frame)
    new = pd.DataFrame(X, index=["a", "b", "c"])
    predicted = model.predict(new.to_numpy())
    assert list(predicted.columns) == ["tea", "coffee", "water"]
    assert list(model.labels_) == ["tea", "coffee", "water"]
    by_name = AlwaysFirst().fit(new, frame).predict_positions(new)
    assert list(by_name.index) == ["a", "b", "c"]


def test_set_output_decides_the_container():
    frame = pd.DataFrame(Y, columns=["tea", "coffee", "water"])
    assert isinstance(
        AlwaysFirst().fit(X, frame).set_output(transform="default").predict(X), np.ndarray
    )
    predicted = AlwaysFirst().fit(X, Y).set_output(transform="pandas").predict(X)
    assert list(predicted.columns) == [0, 1, 2]
    with pytest.raises(ValueError, match="'arrow'; use 'default', 'pandas' or 'polars'"):
        AlwaysFirst().set_output(transform="arrow")


def test_predictions_come_as_polars_frames_if_asked():
    polars = pytest.importorskip("polars")
    model = AlwaysFirst().fit(X, pd.DataFrame(Y, columns=["tea", "coffee", "water"]))
    predicted = model.set_output(transform="polars").predict(X)
    assert isinstance(predicted, polars.DataFrame)
    assert predicted.columns == ["tea", "coffee", "water"]
    assert predicted.rows() == [(1, 2, 3)] * 3


def test_score_is_the_mean_tau_of_the_predicted_ranks():
    expected = np.mean([naive_metrics.kendall_tau(row, [1, 2, 3]) for row in Y])
    assert AlwaysFirst().fit(X, Y).score(X, Y) == pytest.approx(expected)
    assert AlwaysFirst().fit(X, Y).score(X, Y, sample_weight=[1, 0, 0]) == 1.0


def test_rows_of_x_and_y_must_match():
    with pytest.raises(ValueError, match="3 and 2 rows"):
        AlwaysFirst().fit(X, Y[:2])


def test_rankings_must_be_given():
    with pytest.raises(ValueError, match="requires y to be passed"):
        AlwaysFirst().fit(X, None)


def test_an_estimator_says_what_it_takes():
    tied, single = [[1, 1, 3]] * 3, [[1, np.nan, np.nan], [1, 2, 3], [2, 1, 3]]
    AlwaysFirst().fit(X, tied, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match=r"y, row 0: label 0 and label 1 are tied.*break them"):
        Choosy().fit(X, tied)
    with pytest.warns(RankingWarning, match="1 of 3 rows"):
        AlwaysFirst().fit(X, single)
    with pytest.raises(ValueError, match="y, row 0: label 1 is missing"):
        Choosy().fit(X, single)
    with pytest.raises(ValueError, match="Choosy takes no sample_weight; leave it out"):
        Choosy().fit(X, Y, sample_weight=[1, 2, 3])


def test_what_a_subclass_must_provide_is_declared():
    with pytest.raises(TypeError, match="abstract"):
        BaseRanker()
    assert BaseRanker.__abstractmethods__ == {"_fit", "_predict_positions"}


@pytest.mark.parametrize("shuffled", ["y", "sample_weight"])
def test_rows_that_are_named_in_another_order_are_refused(shuffled):
    rows = ["ann", "bob", "eve"]
    features = pd.DataFrame(X, index=rows)
    ranks = pd.DataFrame(Y, index=rows, columns=["tea", "coffee", "water"])
    weights = pd.Series([1.0, 2.0, 3.0], index=rows)
    AlwaysFirst().fit(features, ranks, sample_weight=weights)
    # other names say nothing about the order
    AlwaysFirst().fit(features, ranks.reset_index(drop=True), sample_weight=weights)
    if shuffled == "y":
        ranks = ranks[::-1]
    else:
        weights = weights[::-1]
    message = rf"{shuffled}, row 0: its index is 'eve' but that of X is 'ann'.*{shuffled}\.loc\[X\.index\]"
    with pytest.raises(ValueError, match=message):
        AlwaysFirst().fit(features, ranks, sample_weight=weights)


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_pipeline_passes_set_output_to_its_transformers_alone():
    pipeline = make_pipeline(StandardScaler(), AlwaysFirst()).fit(X, Y)
    pipeline.set_output(transform="pandas")
    assert isinstance(pipeline.predict(X), np.ndarray)
    pipeline[-1].set_output(transform="pandas")
    assert list(pipeline.predict(X).columns) == [0, 1, 2]


@pytest.mark.parametrize("cell", [2**53 + 1, -(2**53) - 1, 2**64 - 1])
@pytest.mark.parametrize("other", [0, float("nan")])
def test_a_whole_number_that_no_float_holds_is_told(cell, other):
    X = np.array([[other, 1], [0, cell]], dtype=object)
    with pytest.warns(UserWarning, match=f"row 1: feature 1 is {cell}, and whole numbers above"):
        warn_of_rounding(X, X.astype(float), None)


def test_whole_numbers_that_floats_hold_are_not_told(recwarn):
    X = np.array([[2**53, -(2**53)], [0, 1]])
    warn_of_rounding(X, X, None)
    assert not recwarn.list


def test_rows_in_a_list_get_the_names_of_labels_and_rows_from_0():
    X = pd.DataFrame({"hour": [7.0, 9.0, 16.0, 17.0]})
    Y = pd.DataFrame([[2, 1], [2, 1], [1, 2], [1, 2]], columns=["tea", "coffee"])
    model = TreeRanker().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the rows have no names for features
        found = model.predict([[8.0], [18.0]])
    pd.testing.assert_frame_equal(found, model.predict(pd.DataFrame({"hour": [8.0, 18.0]})))


@pytest.mark.parametrize(
    "make", [rw.ForestRanker, rw.PairwiseRanker, rw.AutoRanker, LabelwiseRanker]
)
@pytest.mark.parametrize("n_jobs", [0, 10**4, 10**30])
def test_numbers_of_jobs_that_would_stop_the_machine_are_refused(make, n_jobs):
    with pytest.raises(ValueError, match=f"n_jobs is {n_jobs}"):
        make(n_jobs=n_jobs).fit([[0.0], [1.0]], [[1, 2], [2, 1]])
