import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from rankings.strategies import ranks_matrices
from rankwise.rankings import RankingWarning, check_rankings, label_names

DRINKS = ["tea", "coffee", "water"]


@given(ranks_matrices())
def test_every_container_gives_the_same_matrix(ranks):
    missing = np.isnan(ranks)
    columns = [f"L{j}" for j in range(ranks.shape[1])]
    with_none = [[None if c != c else int(c) for c in row] for row in ranks.tolist()]
    containers = [
        ranks.tolist(),
        tuple(map(tuple, ranks)),
        with_none,
        np.array(with_none, dtype=object),
        np.asfortranarray(ranks),
        ranks.astype(np.float32),
        ranks.astype(">f8"),
        np.ma.array(np.where(missing, 0, ranks).astype(int), mask=missing),
        np.ma.array(np.where(missing, -np.inf, ranks), mask=missing),
        list(np.ma.array(np.where(missing, 0, ranks), mask=missing)),
        pd.DataFrame(ranks, columns=columns),
        pd.DataFrame(ranks, columns=columns).astype("Int64"),
        pd.DataFrame(with_none, columns=columns, dtype=object),
        pd.DataFrame(ranks, columns=columns).astype({"L0": "Float64"}),
    ]
    for container in containers:
        checked = check_rankings(container, warn=False)
        assert checked.dtype == np.float64
        assert checked.flags.c_contiguous
        assert type(checked) is np.ndarray
        np.testing.assert_array_equal(checked, ranks)


def test_a_clean_matrix_is_returned_without_a_copy():
    Y = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert check_rankings(Y) is Y


def test_read_only_input_is_accepted():
    Y = np.array([[1.0, 2.0]])
    Y.flags.writeable = False
    assert check_rankings(Y).tolist() == [[1, 2]]


def test_gaps_fractions_and_exact_numbers_are_accepted():
    assert check_rankings([[1, 2.5, 100]]).tolist() == [[1, 2.5, 100]]
    assert check_rankings([[Decimal("1.5"), Fraction(7, 2)]]).tolist() == [[1.5, 3.5]]
    assert check_rankings(np.array([[1, 255]], dtype=np.uint8)).tolist() == [[1, 255]]
    assert check_rankings(np.array([[1, 2]], dtype=np.longdouble)).dtype == np.float64


def test_columns_of_mixed_kinds_are_accepted():
    frame = pd.DataFrame({"a": [1, 2], "b": [2.0, np.nan], "c": np.array([3, 1], dtype=np.uint8)})
    np.testing.assert_array_equal(check_rankings(frame), [[1, 2, 3], [2, np.nan, 1]])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            [[1, 2], [0, 1], [0, 1]],
            r"row 1: label 0 has rank 0; .*add 1.*ranks_from_orders.*1 more",
        ),
        ([[1, 2], [1, -2]], r"row 1: label 1 has rank -2; .*use NaN for a missing label"),
        ([[1, 0.5]], r"row 0: label 1 has rank 0.5; ranks start at 1"),
        ([[1, np.inf]], r"row 0: label 1 has rank inf; .*use NaN"),
        ([[1, -np.inf]], r"row 0: label 1 has rank -inf; .*use NaN"),
        ([[1, "b"]], r"row 0: label 1 is the text 'b'; give a number"),
        ([["1", 2]], r"row 0: label 0 is the text '1'"),
        (np.array([["1", "2"]]), r"row 0: label 0 is the text '1'"),
        (np.array([[b"1", b"2"]]), r"row 0: label 0 is the text b'1'"),
        ([[1, {}]], r"row 0: label 1 is {} \(a dict\)"),
        (np.array([[1, 2]], dtype="m8[s]"), r"row 0: label 0 is .*timedelta"),
        ([[1], [2]], r"1 label \(columns\); a ranking needs at least two"),
        ([[], []], r"0 labels"),
        ([], r"no rows"),
        (pd.DataFrame(), r"0 labels"),
        (np.empty((0, 3)), r"no rows"),
        ([1, 2, 3], r"1-D.*\[Y\]"),
        (["a>b"], r"1-D.*parse_rankings"),
        (pd.Series([1, 2]), r"1-D"),
        (np.ones((2, 2, 2)), r"3-D \(shape \(2, 2, 2\)\)"),
        ([[1, 2, 3], [1, 2]], r"row 1: has 2 labels but row 0 has 3; .*NaN"),
        ([[1, 2], 3], r"row 1: expected a list of numbers, got 3"),
        ([[1, [2]], [3, 4]], r"a cell holds a list"),
        (np.array([[True, False]]), r"true/false"),
        (pd.DataFrame({"a": [True], "b": [2]}), r"row 0: label 'a' is True"),
        ([[1j, 2]], r"complex"),
        (np.array([[1, 2**53]]), r"row 0: label 1 has rank 9007199254740992; .*2\*\*53"),
        ([[1.5, 2**53 + 1]], r"row 0: label 1 is 9007199254740993; .*2\*\*53"),
        ([[1, 2**70]], r"row 0: label 1 has rank .*2\*\*53"),
        ([[1, 10**400]], r"row 0: label 1 is 1000.*smaller"),
        (sparse.csr_array(np.eye(2)), r"sparse.*toarray"),
    ],
)
def test_bad_rankings_are_refused_with_row_label_and_remedy(bad, message):
    with pytest.raises(ValueError, match=message):
        check_rankings(bad)


@pytest.mark.parametrize("bad", [None, 3, "ab", {}, {1, 2}, iter([[1, 2]])])
def test_what_is_no_table_is_a_type_error(bad):
    with pytest.raises(TypeError, match="one row per ranking"):
        check_rankings(bad)


def test_messages_use_the_names_of_a_frame():
    frame = pd.DataFrame([[1, 2, 3], [1, 0, 2]], columns=DRINKS, index=["ann", "bob"])
    with pytest.raises(ValueError, match=r"Y, row 1 \(index 'bob'\): label 'coffee' has rank 0"):
        check_rankings(frame)
    with pytest.raises(ValueError, match=r"truth, row 1: label 'coffee' has rank 0"):
        check_rankings(frame.to_numpy(), labels=np.array(DRINKS), name="truth")


def test_missing_labels_are_refused_where_all_must_be_ranked():
    with pytest.raises(ValueError, match=r"row 1: label 'water' is missing.*drop.*1 more row"):
        check_rankings([[1, 2, 3], [1, 2, None], [None, 1, 2]], allow_missing=False, labels=DRINKS)


@given(ranks_matrices(max_labels=20))
def test_ties_are_refused_exactly_where_a_row_has_equal_ranks(ranks):
    tied = [len(set(seen)) < len(seen) for seen in (row[~np.isnan(row)].tolist() for row in ranks)]
    if not any(tied):
        assert check_rankings(ranks, allow_ties=False, warn=False) is ranks
        return
    with pytest.raises(ValueError, match=rf"row {tied.index(True)}: label .* are tied at rank"):
        check_rankings(ranks, allow_ties=False, warn=False)


def test_rows_without_a_comparison_are_counted_and_told_once():
    Y = [[1, 2, 3], [None, None, 1], [None, 2, 1], [None, None, None]]
    with pytest.warns(RankingWarning, match=r"2 of 4 rows \(first: row 1\).*no comparison") as told:
        check_rankings(Y)
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_rankings(Y, warn=False)
        check_rankings([[1, 2, None]])


def test_labels_must_fit_the_columns_and_differ():
    with pytest.raises(ValueError, match="2 columns but 3 labels"):
        check_rankings([[1, 2]], labels=DRINKS)
    with pytest.raises(ValueError, match="label 'tea' occurs twice"):
        check_rankings([[1, 2]], labels=["tea", "tea"])
    with pytest.raises(ValueError, match="label 1 has no name"):
        check_rankings([[1, 2]], labels=["tea", None])
    for labels in (5, {"tea", "water"}, [["tea"], ["water"]]):
        with pytest.raises(TypeError, match="give a "):
            check_rankings([[1, 2]], labels=labels)
    with pytest.raises(TypeError, match="the text 'ab'"):
        check_rankings([[1, 2]], labels="ab")


def test_label_names_come_from_columns_only():
    assert label_names(pd.DataFrame([[1, 2]], columns=["tea", 3])) == ["tea", "3"]
    assert label_names(np.ones((2, 2))) is None
    assert label_names([[1, 2]]) is None
    with pytest.raises(ValueError, match="label 'tea' occurs twice"):
        label_names(pd.DataFrame([[1, 2]], columns=["tea", "tea"]))


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.just(pd.NA)
)


@given(
    st.one_of(
        st.lists(st.lists(CELLS, max_size=3), max_size=3),
        st.lists(CELLS, max_size=3),
        hnp.arrays(st.sampled_from("bBhHiIqQefdgFDUSOmM?"), hnp.array_shapes(max_side=3)),
    )
)
def test_any_input_gives_ranks_or_a_clear_error(table):
    try:
        ranks = check_rankings(table, warn=False)
    except (ValueError, TypeError) as error:
        ranks, message = None, str(error)
    if ranks is None:
        assert message.startswith("Y")
        return
    assert ranks.ndim == 2
    assert not (ranks < 1).any()
    assert not np.isinf(ranks).any()
