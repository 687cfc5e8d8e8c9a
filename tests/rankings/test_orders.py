import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankings import naive
from rankings.strategies import ranks_matrices
from rankwise.rankings import RankingWarning, orders_from_ranks, ranks_from_orders

DRINKS = ["tea", "coffee", "water"]


@given(ranks_matrices())
def test_orders_agree_with_the_plain_twin(ranks):
    orders = orders_from_ranks(ranks)
    assert orders.dtype == np.int64
    assert orders.tolist() == naive.orders_from_ranks(ranks.tolist())
    np.testing.assert_array_equal(
        ranks_from_orders(orders, ranks.shape[1]),
        naive.ranks_from_orders(orders.tolist(), ranks.shape[1]),
    )


@given(ranks_matrices(ties=False))
def test_ranks_without_ties_survive_the_way_to_orders_and_back(ranks):
    k = ranks.shape[1]
    np.testing.assert_array_equal(ranks_from_orders(orders_from_ranks(ranks), k), ranks)
    names = [f"L{j}" for j in range(k)]
    frame = pd.DataFrame(ranks, columns=names, index=[f"r{i}" for i in range(len(ranks))])
    back = ranks_from_orders(orders_from_ranks(frame), labels=names)
    pd.testing.assert_frame_equal(back, frame)


@given(ranks_matrices(ties=False, missing=False))
def test_an_order_of_permutations_is_the_inverse_permutation(ranks):
    orders = orders_from_ranks(ranks)
    np.testing.assert_array_equal(
        np.take_along_axis(ranks, orders, axis=1),
        np.broadcast_to(np.arange(1, ranks.shape[1] + 1), ranks.shape),
    )


def test_ties_stand_by_label_index():
    assert orders_from_ranks([[2, 1, 1, 2]]).tolist() == [[1, 2, 0, 3]]


def test_nan_none_and_minus_one_pad():
    expected = [[2, np.nan, 1]]
    for pad in (-1, None, np.nan):
        np.testing.assert_array_equal(ranks_from_orders([[2, 0, pad]]), expected)


def test_a_frame_gives_label_names_and_takes_them_back():
    ranks = pd.DataFrame([[2, 3, 1], [None, 1, None]], columns=DRINKS, index=["ann", "bob"])
    orders = orders_from_ranks(ranks)
    assert orders.columns.tolist() == [1, 2, 3]
    assert orders.to_numpy().tolist() == [["water", "tea", "coffee"], ["coffee", None, None]]
    back = ranks_from_orders(orders)
    assert back.columns.tolist() == ["coffee", "tea", "water"]
    pd.testing.assert_frame_equal(back[DRINKS], ranks.astype(float))


def test_a_frame_of_indices_keeps_its_index():
    ranks = ranks_from_orders(pd.DataFrame([[1, 0]], index=["ann"]))
    pd.testing.assert_frame_equal(ranks, pd.DataFrame([[2.0, 1.0]], index=["ann"]))


def test_one_column_is_an_order_where_the_number_of_labels_is_given():
    np.testing.assert_array_equal(ranks_from_orders([[1]], 3), [[np.nan, 1, np.nan]])
    with pytest.raises(ValueError, match="give n_labels"):
        ranks_from_orders([[1]])


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([[0, 1, 2], [1, 2, 3]], r"row 1: position 3 holds label 3, .*0 to 2; subtract 1"),
        (np.array([[1, 2]], dtype=np.uint64), r"row 0: position 2 holds label 2"),
        ([[0, -2]], r"row 0: position 2 holds label -2, .*-1 pads"),
        ([[0, 0.5]], r"row 0: position 2 holds label 0.5"),
        ([[0, np.inf]], r"row 0: position 2 holds label inf"),
        ([[0, -1, 1]], r"row 0: label 1 at position 3 stands after a pad; .*end of a row"),
        ([[0, 1, 0], [1, 1, 0]], r"row 0: label 0 stands at positions 1 and 3.*1 more row"),
        ([["tea", "water"]], r"row 0: position 1 is the text 'tea'"),
        ([[0, 1], [0]], r"row 1: has 1 labels but row 0 has 2"),
        ([], "no rows"),
    ],
)
def test_bad_orders_are_refused_with_row_label_and_remedy(orders, message):
    with pytest.raises(ValueError, match=message):
        ranks_from_orders(orders)


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([["tea", "cofee"]], r"row 0: unknown label 'cofee'; did you mean 'coffee'\?"),
        ([["tea", "x"]], r"unknown label 'x'; the labels are 'tea', 'coffee', 'water'"),
        ([["tea", "tea"]], r"row 0: label 'tea' stands at positions 1 and 2"),
        ([["tea", None, "water"]], r"row 0: label 'water' at position 3 stands after a pad"),
        (["tea"], r"row 0: expected a list of labels, best first, got 'tea'"),
        ([[["tea"]]], r"row 0: position 1 holds \['tea'\]"),
    ],
)
def test_bad_orders_of_names_are_refused(orders, message):
    with pytest.raises(ValueError, match=message):
        ranks_from_orders(orders, labels=DRINKS)


def test_the_number_of_labels_must_make_sense():
    for n_labels in (1, 0, -3, 2.5, True, "3"):
        with pytest.raises(ValueError, match="n_labels is"):
            ranks_from_orders([[0, 1]], n_labels)
    with pytest.raises(ValueError, match="n_labels is 2 but there are 3 label names"):
        ranks_from_orders([["tea"]], 2, labels=DRINKS)


def test_orders_that_never_name_label_0_are_told():
    with pytest.warns(RankingWarning, match="count from 1, subtract 1"):
        ranks_from_orders([[1, 2, -1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranks_from_orders([[1, 2, -1]], 3)
        ranks_from_orders([[1, 2, 0]])


@given(
    hnp.arrays(
        np.int64, st.tuples(st.integers(1, 3), st.integers(2, 4)), elements=st.integers(-2, 4)
    )
)
def test_any_integers_give_ranks_or_an_error(orders):
    try:
        ranks = ranks_from_orders(orders, orders.shape[1])
    except ValueError:
        return
    np.testing.assert_array_equal(orders_from_ranks(ranks), orders)
