import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings import naive
from rankings.strategies import ranks_matrices
from rankwise.rankings import pairs_from_ranks, ranks_from_pairs

PAIRS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")).filter(lambda p: p[0] != p[1]),
    min_size=1,
    max_size=7,
)


def table_of(pairs, row="r7"):
    better, worse = zip(*pairs, strict=True)
    return pd.DataFrame({"row": row, "better": better, "worse": worse})


@given(ranks_matrices())
def test_ranks_with_a_comparison_survive_the_way_to_pairs_and_back(ranks):
    compared = (ranks == 2).any(axis=1)
    if not compared.any():
        return
    names = [f"L{j}" for j in range(ranks.shape[1])]
    frame = pd.DataFrame(ranks, columns=names, index=[f"r{i}" for i in range(len(ranks))])
    pairs = pairs_from_ranks(frame)
    expected = [
        (f"r{i}", names[a], names[b])
        for i, row in enumerate(ranks.tolist())
        for a, b in naive.counted_pairs(row)
    ]
    assert list(pairs.itertuples(index=False, name=None)) == expected
    back = ranks_from_pairs(pairs.sample(frac=1, random_state=0), labels=names)
    np.testing.assert_array_equal(back.loc[frame.index[compared]], ranks[compared])


@given(PAIRS)
def test_pairs_become_ranks_exactly_where_the_plain_twin_finds_a_ranking(pairs):
    expected = naive.ranking_of_pairs(pairs)
    if expected is None:
        with pytest.raises(ValueError, match=r"row 'r7': .*split=True"):
            ranks_from_pairs(table_of(pairs))
    else:
        assert ranks_from_pairs(table_of(pairs)).loc["r7"].to_dict() == expected


@given(PAIRS)
def test_a_cycle_is_spelt_by_pairs_that_are_there(pairs):
    try:
        ranks_from_pairs(table_of(pairs))
    except ValueError as error:
        spelt = re.search(r"row 'r7': ([a-d](?: > [a-d])+) is a cycle", str(error))
    else:
        spelt = None
    cyclic = any((a, a) in naive_closure(pairs) for a in "abcd")
    assert (spelt is not None) == cyclic
    if spelt is not None:
        labels = spelt[1].split(" > ")
        assert labels[0] == labels[-1]
        assert set(itertools.pairwise(labels)) <= set(pairs)


def naive_closure(pairs):
    follows = set(pairs)
    for _ in range(4):
        follows |= {(a, d) for a, b in follows for c, d in follows if b == c}
    return follows


def test_a_cycle_is_named_with_its_row():
    with pytest.raises(ValueError, match=r"row 'r7': a > b > c > a is a cycle.*drop a comparison"):
        ranks_from_pairs(table_of([("b", "c"), ("c", "a"), ("a", "b")]))


def test_unrelated_labels_are_named_and_split_is_the_remedy():
    pairs = table_of([("a", "b"), ("c", "d")])
    with pytest.raises(ValueError, match=r"row 'r7': labels 'a' and 'd' were never related.*split"):
        ranks_from_pairs(pairs)
    nan = np.nan
    ranks = ranks_from_pairs(pairs, split=True)
    assert ranks.index.tolist() == ["r7", "r7"]
    assert ranks.index.name == "row"
    np.testing.assert_array_equal(ranks, [[1, 2, nan, nan], [nan, nan, 1, 2]])


def test_rows_are_independent_and_in_order_of_appearance():
    table = {"row": [2, 1, 2], "better": ["a", "b", "b"], "worse": ["b", "a", "c"]}
    ranks = ranks_from_pairs(table)
    assert ranks.index.tolist() == [2, 1]
    np.testing.assert_array_equal(ranks, [[1, 2, 3], [2, 1, np.nan]])


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"worse": ["a", "c"]}, {}, r"row 'r7': a > a \(line 0\) compares a label with itself"),
        ({"worse": [None, "c"]}, {}, r"row 0: the worse label is missing"),
        ({}, {"better": "winner"}, r"no column 'winner'; say better= .*'row', 'better', 'worse'"),
        ({}, {"labels": ["a", "b"]}, r"row 1: unknown label 'c'"),
    ],
)
@pytest.mark.parametrize("split", [False, True])
def test_bad_pairs_are_refused_with_row_label_and_remedy(change, options, message, split):
    table = {"row": ["r7", "r7"], "better": ["a", "a"], "worse": ["b", "c"], **change}
    with pytest.raises(ValueError, match=message):
        ranks_from_pairs(table, **options, split=split)
