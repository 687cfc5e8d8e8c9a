import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.strategies import ranks_matrices
from rankwise.rankings import orders_from_ranks, parse_rankings, ranks_from_scores, ranks_from_top_k

DRINKS = ["tea", "coffee", "water"]


@given(ranks_matrices(missing=False, ties=False), st.data())
def test_the_first_labels_of_a_ranking_keep_their_ranks_and_the_rest_ties(ranks, data):
    n_listed = data.draw(st.integers(1, ranks.shape[1] - 1))
    lists = orders_from_ranks(ranks)[:, :n_listed]
    top = ranks_from_top_k(lists, labels=range(ranks.shape[1]))
    np.testing.assert_array_equal(top, np.minimum(ranks, n_listed + 1))


def test_lists_agree_with_texts_whose_unlisted_labels_are_last():
    texts = ["tea", "water>coffee", "tea>coffee>water"]
    expected, _ = parse_rankings(texts, DRINKS, unlisted="last")
    ranks = ranks_from_top_k([text.split(">") for text in texts], DRINKS)
    assert ranks.columns.tolist() == DRINKS
    np.testing.assert_array_equal(ranks, expected)
    np.testing.assert_array_equal(ranks_from_scores(-ranks), ranks)


def test_every_container_gives_the_same_ranks():
    lists = [["tea", None], ["water", "coffee"]]
    expected = ranks_from_top_k([["tea"], ["water", "coffee"]])
    for container in (lists, np.array(lists, dtype=object), tuple(map(tuple, lists))):
        pd.testing.assert_frame_equal(ranks_from_top_k(container), expected)
    for container in (pd.DataFrame(lists, index=["x", "y"]), pd.Series(lists, index=["x", "y"])):
        pd.testing.assert_frame_equal(
            ranks_from_top_k(container), expected.set_axis(["x", "y"], axis=0)
        )


def test_an_empty_list_says_nothing():
    ranks = ranks_from_top_k([[], ["tea"], None], DRINKS)
    np.testing.assert_array_equal(ranks, [[np.nan] * 3, [1, 2, 2], [np.nan] * 3])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["tee"], r"row 1: unknown label 'tee'; did you mean 'tea'"),
        (["tea", "tea"], r"row 1: label 'tea' stands at positions 1 and 2"),
        ([None, "tea"], r"row 1: label 'tea' at position 2 stands after a pad at position 1"),
        ("tea>water", r"row 1: expected a list of labels.*parse_rankings"),
        ({"tea"}, r"row 1: expected a list of labels"),
        (3, r"row 1: expected a list of labels, best first, got 3"),
    ],
)
def test_bad_lists_are_refused_with_row_label_and_remedy(row, message):
    with pytest.raises(ValueError, match=message):
        ranks_from_top_k([["tea"], row], DRINKS)


def test_there_must_be_rows_and_two_labels():
    with pytest.raises(ValueError, match="no rows"):
        ranks_from_top_k([])
    with pytest.raises(ValueError, match=r"found 1 label \['tea'\].*labels="):
        ranks_from_top_k([["tea"]])
    with pytest.raises(TypeError, match="give a list of lists"):
        ranks_from_top_k("tea")
