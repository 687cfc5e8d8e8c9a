import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankings import naive
from rankings.strategies import ranks_matrices
from rankwise.rankings import ranks_from_scores

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6)
FLOATS = hnp.arrays(
    np.float64,
    SHAPES,
    elements=st.one_of(
        st.sampled_from([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan]),
        st.floats(allow_nan=True, allow_infinity=True),
    ),
)
INTEGERS = hnp.arrays(st.sampled_from([np.int64, np.uint64, np.int8, np.bool_]), SHAPES)


@given(st.one_of(FLOATS, INTEGERS), st.booleans())
def test_ranks_agree_with_the_plain_twin(scores, higher_is_better):
    expected = naive.dense_ranks(scores.tolist(), higher_is_better)
    np.testing.assert_array_equal(ranks_from_scores(scores, higher_is_better), expected)


@given(FLOATS, st.sampled_from([0.5, 1.0, 1e300]))
def test_differences_within_the_noise_are_ties_as_the_plain_twin_says(scores, within):
    with np.errstate(over="ignore"):
        expected = [naive.ranks_within(row, within) for row in scores.tolist()]
        found = ranks_from_scores(scores, higher_is_better=False, within=within)
        turned = ranks_from_scores(-scores, within=within)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(turned, expected)


@given(ranks_matrices())
def test_dense_ranks_are_their_own_scores(ranks):
    np.testing.assert_array_equal(ranks_from_scores(ranks, higher_is_better=False), ranks)
    np.testing.assert_array_equal(ranks_from_scores(-ranks), ranks)


@given(ranks_matrices(), st.randoms(use_true_random=False))
def test_relabelling_labels_relabels_ranks(scores, random):
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    np.testing.assert_array_equal(
        ranks_from_scores(scores[:, order]), ranks_from_scores(scores)[:, order]
    )


def test_large_integers_stay_apart():
    base = 2**62
    assert ranks_from_scores([[base, base + 1, base]]).tolist() == [[2, 1, 2]]
    assert ranks_from_scores([[-(2**63), 2**63 - 1]]).tolist() == [[2, 1]]
    with pytest.raises(ValueError, match=r"row 0: label 0 is 4611686018427387905; .*subtract"):
        ranks_from_scores([[base + 1, 0.5]])
    mixed = pd.DataFrame({"a": [base + 1], "b": [0.5]})
    with pytest.raises(ValueError, match=r"row 0: label 'a' is 4611686018427387905"):
        ranks_from_scores(mixed)


def test_timeouts_tie_at_the_bottom():
    ranks = ranks_from_scores([[3.0, np.inf, np.inf, 1.0]], higher_is_better=False)
    assert ranks.tolist() == [[2, 3, 3, 1]]


def test_a_frame_keeps_its_index_and_label_names():
    scores = pd.DataFrame([[0.1, 0.7, None]], columns=["tea", "coffee", "water"], index=["ann"])
    ranks = ranks_from_scores(scores)
    pd.testing.assert_frame_equal(
        ranks, pd.DataFrame([[2.0, 1.0, np.nan]], columns=scores.columns, index=["ann"])
    )


def test_text_is_refused_by_row_and_label():
    with pytest.raises(ValueError, match=r"scores, row 1: label 0 is the text 'high'"):
        ranks_from_scores([[1, 2], ["high", 2]])


def test_polars_in_polars_out():
    polars = pytest.importorskip("polars")
    scores = polars.DataFrame({"tea": [0.9, 0.1], "coffee": [0.5, None], "water": [0.5, 0.7]})
    ranks = ranks_from_scores(scores)
    assert isinstance(ranks, polars.DataFrame)
    assert ranks.to_dict(as_series=False) == {
        "tea": [1.0, 2.0],
        "coffee": [2.0, None],
        "water": [2.0, 1.0],
    }
    whole = polars.DataFrame({"a": [3, 1], "b": [2, 2]})
    assert ranks_from_scores(whole, higher_is_better=False).rows() == [(2, 1), (1, 2)]
    with pytest.raises(ValueError, match=r"scores, row 1: label 'b' is the text 'x'"):
        ranks_from_scores(polars.DataFrame({"a": [1, 2], "b": [None, "x"]}))
