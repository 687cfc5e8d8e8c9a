"""What the metrics take, and what they say to what they do not take."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rankwise import metrics
from rankwise.rankings import RankingWarning

LABELS = ["tea", "coffee", "water"]
ONE, OTHER = [[1, 2, 3]], [[2, 1, 3]]
OF_TWO_RANKINGS = [
    "kendall_tau",
    "kendall_distance",
    "compatible_match",
    "exact_match",
    "tau_x",
    "tau_b",
    "spearman_distance",
    "footrule_distance",
    "spearman_rho",
    "top_k_accuracy",
    "reciprocal_rank",
    "inconsistency",
    "tau_gap",
]
ALL = [*OF_TWO_RANKINGS, "regret"]


@pytest.mark.parametrize("name", ALL)
def test_other_containers_give_the_same_value(name):
    metric = getattr(metrics, name)
    true, pred = np.array([[1.0, 2, 3], [3, 1, 2]]), np.array([[2.0, 1, 3], [3, 2, 1]])
    read_only = true.copy(), pred.copy()
    for array in read_only:
        array.flags.writeable = False
    expected = metric(true, pred)
    assert metric(true.tolist(), pred.tolist()) == expected
    assert metric(true.astype(np.uint8), pred.astype(np.float32)) == expected
    assert metric(np.asfortranarray(true), pred[:, ::-1][:, ::-1]) == expected
    assert metric(*read_only) == expected
    assert metric(pd.DataFrame(true), pd.DataFrame(pred)) == expected
    assert metric(np.ma.masked_array(true), pd.DataFrame(pred, dtype="Int64")) == expected


@pytest.mark.parametrize("name", ALL)
def test_arguments_are_left_as_they_were(name):
    true, pred = np.array([[1.0, np.nan, 3]]), np.array([[2.0, 1, 3]])
    frames = pd.DataFrame(true, columns=LABELS), pd.DataFrame(pred, columns=LABELS[::-1])
    getattr(metrics, name)(true, pred)
    getattr(metrics, name)(*frames)
    np.testing.assert_array_equal(true, [[1.0, np.nan, 3]])
    np.testing.assert_array_equal(pred, [[2.0, 1, 3]])
    assert true.flags.writeable
    assert list(frames[1].columns) == LABELS[::-1]


@pytest.mark.parametrize("name", ALL)
def test_columns_are_paired_by_label_name(name):
    true = pd.DataFrame([[1, 2, 3], [2, 3, 1]], columns=LABELS)
    pred = pd.DataFrame([[1, 3, 2], [2, 1, 3]], columns=LABELS)
    metric = getattr(metrics, name)
    assert metric(true, pred[["water", "tea", "coffee"]]) == metric(true, pred)


@pytest.mark.parametrize("name", ALL)
def test_differing_label_names_are_refused(name):
    true = pd.DataFrame(ONE, columns=LABELS)
    pred = pd.DataFrame(OTHER, columns=["tea", "coffee", "juice"])
    with pytest.raises(ValueError, match=r"no label 'water' but a label 'juice'.*same column"):
        getattr(metrics, name)(true, pred)


@pytest.mark.parametrize("name", ALL)
def test_rows_in_another_order_are_refused(name):
    true = pd.DataFrame([[1, 2, 3], [3, 2, 1]], columns=LABELS, index=["ann", "bob"])
    with pytest.raises(ValueError, match=r"row 0: its index is 'bob' but .* 'ann'.*\.loc\["):
        getattr(metrics, name)(true, true.loc[["bob", "ann"]])


@pytest.mark.parametrize("index", [[40, 41], [1, 2], [1, 1], [("a", 1), ("b", 0)]])
def test_rows_with_unrelated_indexes_are_paired_by_place(index):
    true = pd.DataFrame([[1, 2, 3], [3, 2, 1]], index=pd.Index(index))
    assert metrics.exact_match(true, true.reset_index(drop=True)) == 1.0


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ([[1, 2, 3], [1, 2, 3]], r"has 2 rows but \w+ has 1; give one row per sample"),
        ([[1, 2]], r"has 2 labels \(columns\) but \w+ has 3; give one column per label"),
        ([[0, 1, 2]], r"row 0: label 0 has rank 0; ranks start at 1"),
        ([1, 2, 3], r"is 1-D; give one row"),
        ([["a", "b", "c"]], r"row 0: label 0 is the text 'a'"),
    ],
)
def test_predictions_that_do_not_fit_are_refused(name, pred, message):
    with pytest.raises(ValueError, match=message):
        getattr(metrics, name)(ONE, pred)


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("inconsistency", "tau_gap")])
def test_a_label_of_the_truth_that_is_not_predicted_is_named(name):
    true = pd.DataFrame([[1, 2, 3], [1, 2, None]], columns=LABELS)
    pred = [[1, 2, 3], [1, None, None]]
    message = r"Y_pred, row 1: label 'coffee' is missing but \w+ has it; rank every label"
    with pytest.raises(ValueError, match=message):
        getattr(metrics, name)(true, pred)


@pytest.mark.parametrize("name", ALL)
def test_a_label_missing_in_the_truth_may_be_missing_in_the_prediction(name):
    metric = getattr(metrics, name)
    assert metric([[1, 2, None]], [[2, 1, None]]) == metric([[1, 2, None]], [[2, 1, 1]])


TIES_COUNT = ["exact_match", "tau_x"]


@pytest.mark.parametrize("name", TIES_COUNT)
def test_a_row_of_ties_counts_where_ties_are_an_answer_and_one_of_a_label_does_not(name):
    true = [[1, 1, 1], [1, 1, 1], [None, 2, None], [None, None, None]]
    per_row = getattr(metrics, name)(
        true, [[1, 1, 1], [1, 2, 3], [1, 2, 3], [1, 2, 3]], average=False
    )
    np.testing.assert_array_equal(per_row, [1, 0, np.nan, np.nan])


@pytest.mark.parametrize("name", [name for name in OF_TWO_RANKINGS if name not in TIES_COUNT])
def test_rows_without_a_strict_pair_are_nan_and_left_out(name):
    true = [[1, 1, 1], [None, 2, None], [None, None, None], [1, 2, 3]]
    pred = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [2, 1, 3]]
    metric = getattr(metrics, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        per_row = metric(true, pred, average=False)
        mean = metric(true, pred)
    assert np.isnan(per_row[:3]).all()
    assert mean == per_row[3] == metric(ONE, OTHER)


@pytest.mark.parametrize("name", ALL)
def test_no_row_to_measure_is_nan_with_one_warning(name):
    missing = [[None, None, None]]
    with pytest.warns(RankingWarning, match="mean is NaN") as told:
        assert np.isnan(getattr(metrics, name)(missing, ONE))
    assert len(told) == 1
    assert told[0].filename == __file__


def test_rows_of_weight_zero_are_left_out():
    true, pred = [[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [3, 2, 1]]
    assert metrics.kendall_tau(true, pred, sample_weight=[0, 2]) == -1.0
    with pytest.warns(RankingWarning):
        assert np.isnan(metrics.kendall_tau([[1, 2], [1, 1]], [[1, 2]] * 2, sample_weight=[0, 1]))


def test_very_large_and_very_small_weights_neither_overflow_nor_vanish():
    true, pred = [[1, 2]] * 4, [[1, 2], [1, 2], [1, 2], [2, 1]]
    for size in (1e308, 5e-324):
        assert metrics.kendall_tau(true, pred, sample_weight=[size] * 4) == 0.5


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        ([1, 2], ValueError, r"has shape \(2,\) but there are 1 rows"),
        ([[1]], ValueError, r"shape \(1, 1\)"),
        (3, ValueError, r"shape \(\)"),
        ([-1], ValueError, "row 0: sample_weight is -1"),
        ([np.nan], ValueError, "row 0: sample_weight is nan"),
        ([np.inf], ValueError, "row 0: sample_weight is inf"),
        ([0], ValueError, "zero in every row"),
        (["much"], TypeError, "much.*one number per row"),
        ([1j], TypeError, "real numbers; give one number per row"),
        (
            np.ma.masked_array([1.0], mask=[True]),
            TypeError,
            "real numbers; give one number per row",
        ),
    ],
)
@pytest.mark.parametrize("average", [True, False])
def test_wrong_weights_are_refused(name, weight, error, message, average):
    with pytest.raises(error, match=message):
        getattr(metrics, name)(ONE, OTHER, sample_weight=weight, average=average)


def test_average_must_be_true_or_false():
    with pytest.raises(TypeError, match="average is 'macro'"):
        metrics.kendall_tau(ONE, OTHER, average="macro")


def test_tau_is_on_ranks_or_on_orders():
    with pytest.raises(ValueError, match="on is 'positions'; give 'ranks', or 'orders'"):
        metrics.kendall_tau(ONE, OTHER, on="positions")


@pytest.mark.parametrize(
    ("true", "pred", "fault"),
    [
        ([[1, 2, None]], ONE, "Y_true, row 0: label 2 is missing"),
        (ONE, [[1, 1, 2]], "Y_pred, row 0: label 0 and label 1 are tied"),
    ],
)
def test_tau_on_orders_takes_complete_rankings_without_ties_only(true, pred, fault):
    with pytest.raises(ValueError, match=f"{fault}.*on='orders' takes complete rankings"):
        metrics.kendall_tau(true, pred, on="orders")
