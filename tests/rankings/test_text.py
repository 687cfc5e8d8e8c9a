import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankings import naive
from rankings.strategies import ranks_matrices
from rankwise.rankings import RankingWarning, format_rankings, parse_rankings
from rankwise.rankings._tokens import split_text, walk_text

AWKWARD = st.text(alphabet="ab >~=,<'\"|-\n", max_size=4)


@given(ranks_matrices())
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_ranks_survive_the_way_to_text_and_back(ranks):
    names = [str(j) for j in range(ranks.shape[1])]
    back, labels = parse_rankings(format_rankings(ranks), names)
    assert labels == names
    np.testing.assert_array_equal(back, ranks)


@given(ranks_matrices(max_labels=5), st.lists(AWKWARD, min_size=5, max_size=5, unique=True))
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_any_label_survives_the_way_to_text_and_back(ranks, names):
    names = names[: ranks.shape[1]]
    frame = pd.DataFrame(ranks, columns=names)
    back, labels = parse_rankings(format_rankings(frame), names)
    assert labels == names
    np.testing.assert_array_equal(back, ranks)


@given(ranks_matrices(max_labels=40, missing=False))
def test_texts_agree_with_the_plain_twin(ranks):
    texts = format_rankings(ranks)
    back, labels = parse_rankings(texts)
    for text, row in zip(texts, back, strict=True):
        assert naive.parse_plain_ranking(text) == dict(zip(labels, row, strict=True))


@given(st.lists(st.one_of(st.none(), AWKWARD, st.text(max_size=6)), max_size=4))
@example(["a>b", "a,b"])
@example(["'a''>b"])
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_any_text_gives_ranks_or_a_value_error(texts):
    try:
        ranks, labels = parse_rankings(texts)
    except ValueError:
        return
    assert ranks.shape == (len(texts), len(labels))
    again, _ = parse_rankings(format_rankings(ranks, labels), labels)
    np.testing.assert_array_equal(again, ranks)


@given(AWKWARD)
def test_the_quick_way_splits_as_the_slow_walk_does(text):
    try:
        walked = walk_text(text)
    except ValueError:
        with pytest.raises(ValueError, match="column"):
            split_text(text)
    else:
        assert split_text(text) == walked


def test_signs_spaces_and_quotes_are_read():
    ranks, labels = parse_rankings(["a>b~c", " c = a >\tb ", "'a'>\"b\"", "b , c > a"])
    assert labels == ["a", "b", "c"]
    np.testing.assert_array_equal(ranks, [[1, 2, 2], [1, 2, 1], [1, 2, np.nan], [2, 1, 1]])


def test_quoted_labels_may_contain_signs_and_doubled_quotes():
    _, labels = parse_rankings(["'a>b' > \"c,d\" > 'it''s' > Earl's"])
    assert labels == ["Earl's", "a>b", "c,d", "it's"]


def test_found_labels_are_naturally_sorted_whatever_the_row_order():
    texts = ["L10>L2", "L1>L3~L2"]
    _, labels = parse_rankings(texts)
    assert labels == ["L1", "L2", "L3", "L10"]
    assert parse_rankings(texts[::-1])[1] == labels


def test_given_labels_fix_the_columns():
    ranks, labels = parse_rankings(["3>1"], [1, 2, 3])
    assert labels == [1, 2, 3]
    np.testing.assert_array_equal(ranks, [[2, np.nan, 1]])


def test_commas_alone_list_labels_in_order_of_preference():
    ranks, _ = parse_rankings(["tea, coffee, water", "water, tea"], ["tea", "coffee", "water"])
    np.testing.assert_array_equal(ranks, [[1, 2, 3], [2, np.nan, 1]])


def test_commas_mean_what_the_caller_says():
    texts = ["a,b", "b>a"]
    with pytest.raises(ValueError, match=r'row 0: .*commas only.*comma="then".*comma="tied"'):
        parse_rankings(texts)
    assert parse_rankings(texts, comma="tied")[0].tolist() == [[1, 1], [2, 1]]
    assert parse_rankings(texts, comma="then")[0].tolist() == [[1, 2], [2, 1]]


def test_unlisted_labels_are_missing_or_last():
    texts = ["a", "b>a", None]
    with pytest.warns(RankingWarning, match=r"2 of 3 rows \(first: row 0\)"):
        ranks, _ = parse_rankings(texts, ["a", "b", "c"])
    np.testing.assert_array_equal(ranks, [[1, *[np.nan] * 2], [2, 1, np.nan], [np.nan] * 3])
    with pytest.warns(RankingWarning, match=r"1 of 3 rows \(first: row 2\)"):
        ranks, _ = parse_rankings(texts, ["a", "b", "c"], unlisted="last")
    np.testing.assert_array_equal(ranks, [[1, 2, 2], [2, 1, 3], [np.nan] * 3])


def test_a_series_keeps_its_index():
    texts = pd.Series(["a>b", None], index=["ann", "bob"])
    with pytest.warns(RankingWarning, match=r"1 of 2 rows"):
        ranks, labels = parse_rankings(texts)
    assert labels == ["a", "b"]
    expected = pd.DataFrame([[1.0, 2.0], [np.nan] * 2], index=texts.index, columns=labels)
    pd.testing.assert_frame_equal(ranks, expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a>>b", r"row 1, column 3 of 'a>>b': a label is missing before this sign"),
        ("a>b>", r"row 1, column 5 of 'a>b>': a label is missing at the end"),
        (">a", r"row 1, column 1 .*missing before this sign"),
        ("a>=b", r"row 1, column 3 .*missing"),
        ("a<b", r"row 1, column 2 .*'<' is not read; write 'a>b'"),
        ("a>b>a", r"row 1, column 5 .*label 'a' stands in column 1 already"),
        ("'a>b", r"row 1, column 1 .*quote ' is never closed"),
        ("'a'b>c", r"row 1, column 4 .*text after a closing quote; quote the whole label"),
        ("a -> b", r"row 1, column 3 .*arrow '->' is not read; write '>'"),
        ("rock 'n' roll>a", r"row 1, column 6 .*quote within a label"),
        (7, r"row 1: expected a text such as 'a>b~c', got 7"),
        ("cofee>tea", r"row 1: unknown label 'cofee'; did you mean 'coffee'\?"),
    ],
)
def test_bad_texts_are_refused_with_row_column_and_remedy(text, message):
    with pytest.raises(ValueError, match=message):
        parse_rankings(["tea>coffee", text], None if text != "cofee>tea" else ["tea", "coffee"])


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("a>b", TypeError, r"single text 'a>b'; give a list of texts, \['a>b'\]"),
        (None, TypeError, "give a list"),
        ({"a>b": 1}, TypeError, "give a list"),
        (np.array([["a>b"]]), TypeError, "one column of texts"),
        (pd.DataFrame({"x": ["a>b"]}), TypeError, "one column of texts"),
        ([], ValueError, "at least one text"),
        (["a", "a"], ValueError, r"found 1 label \['a'\].*at least two"),
        (["", None], ValueError, "found 0 labels"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(texts, error, message):
    with pytest.raises(error, match=message):
        parse_rankings(texts)


def test_options_are_checked():
    with pytest.raises(ValueError, match="comma is 'and'; use None, 'tied' or 'then'"):
        parse_rankings(["a>b"], comma="and")
    with pytest.raises(ValueError, match="unlisted is 'first'"):
        parse_rankings(["a>b"], unlisted="first")


def test_names_are_quoted_only_where_they_must_be():
    labels = ["it's", "a b", "", "x>y"]
    assert format_rankings([[1, 2, 2, 3]], labels) == ["'it''s'>a b~''>'x>y'"]
    assert format_rankings([[2, 1], [None, None]]) == ["1>0", ""]


def test_labels_that_read_alike_are_refused():
    with pytest.raises(ValueError, match="label '1' occurs twice"):
        format_rankings([[1, 2]], [1, "1"])
