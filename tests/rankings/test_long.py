import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rankings.strategies import ranks_matrices
from rankwise.rankings import check_rankings, long_from_ranks, ranks_from_long

TABLE = pd.DataFrame(
    {
        "farm": ["f2", "f2", "f1", "f1", "f1"],
        "variety": ["V2", "V10", "V10", "V2", "V1"],
        "yield": [3.0, 5.0, 1.0, None, 1.0],
    }
)


@given(ranks_matrices())
def test_ranks_survive_the_way_to_a_long_table_and_back(ranks):
    observed = ~np.isnan(ranks).all(axis=1)
    if not observed.any():
        return
    names = [f"L{j}" for j in range(ranks.shape[1])]
    frame = pd.DataFrame(ranks, columns=names, index=[f"r{i}" for i in range(len(ranks))])
    table = long_from_ranks(frame)
    assert len(table) == np.count_nonzero(~np.isnan(ranks))
    shuffled = table.sample(frac=1, random_state=0)
    back = ranks_from_long(shuffled, labels=names).loc[frame.index[observed]]
    np.testing.assert_array_equal(back, ranks[observed])
    scores = table.assign(value=-table["rank"]).drop(columns="rank")
    np.testing.assert_array_equal(
        ranks_from_long(scores, labels=names, higher_is_better=True),
        ranks_from_long(table, labels=names),
    )


def test_values_become_ranks_with_rows_as_they_appear_and_labels_sorted():
    ranks = ranks_from_long(
        TABLE, row="farm", label="variety", value="yield", higher_is_better=True
    )
    assert ranks.index.tolist() == ["f2", "f1"]
    assert ranks.columns.tolist() == ["V1", "V2", "V10"]
    np.testing.assert_array_equal(ranks, [[np.nan, 2, 1], [1, np.nan, 1]])
    low = ranks_from_long(TABLE, row="farm", label="variety", value="yield", higher_is_better=False)
    np.testing.assert_array_equal(low, [[np.nan, 1, 2], [1, np.nan, 1]])


def test_a_list_of_dicts_is_a_table():
    lines = [{"row": 1, "label": "a", "rank": 2}, {"row": 1, "label": "b", "rank": 1}]
    assert ranks_from_long(lines).to_numpy().tolist() == [[2, 1]]


def test_large_integers_stay_apart():
    table = {"row": [0, 0], "label": ["a", "b"], "value": [2**62, 2**62 + 1]}
    assert ranks_from_long(table, higher_is_better=True).to_numpy().tolist() == [[2, 1]]


def test_values_without_a_direction_are_asked_about():
    table = {"row": [0, 0], "label": ["fast", "slow"], "value": [1, 100]}
    with pytest.raises(ValueError, match="say higher_is_better=True or False"):
        ranks_from_long(table)


def test_arrays_get_numbers_for_names():
    table = long_from_ranks([[2, 1]], rank="place")
    assert table.to_dict("list") == {"row": [0, 0], "label": [0, 1], "place": [2, 1]}


GOOD = {"row": ["r7", "r7"], "label": ["a", "b"], "value": [1, 2]}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            {"label": ["a", "a"]},
            {"labels": ["a", "b"]},
            r"row 'r7': label 'a' stands in lines 0 and 1; .*replicates='mean' or 'median'",
        ),
        (
            {},
            {"row": "id"},
            r"no column 'id'; say row= one of its columns: 'row', 'label', 'value'",
        ),
        ({}, {"rank": "place"}, r"no column 'place'; say rank="),
        ({"rank": [1, 2]}, {}, r"value column \('value'\) and a rank column \('rank'\).*say which"),
        ({"label": ["a", None]}, {}, r"row 1: the label is missing"),
        ({"row": [None, 1]}, {}, r"row 0: the row id is missing"),
        ({"value": [1, "x"]}, {}, r"row 0 \(index 'r7'\): label 'b' is the text 'x'"),
        ({"value": [0, 1]}, {"rank": "value"}, r"index 'r7'\): label 'a' has rank 0; ranks start"),
        ({}, {"labels": ["a", "bb", "c"]}, r"row 1: unknown label 'b'; did you mean 'bb'"),
        ({"label": [["a"], "b"]}, {}, r"neither text nor number"),
        ({"row": [], "label": [], "value": []}, {}, "no rows"),
    ],
)
def test_bad_tables_are_refused_with_row_label_and_remedy(change, options, message):
    with pytest.raises(ValueError, match=message):
        ranks_from_long(pd.DataFrame({**GOOD, **change}), higher_is_better=True, **options)


def test_replicates_become_their_mean_or_their_median():
    table = {"row": [1] * 5, "label": ["a", "a", "a", "b", "c"], "value": [0, 0, 9, 2, 4]}
    by_mean = ranks_from_long(table, higher_is_better=True, replicates="mean")
    assert by_mean.to_numpy().tolist() == [[2, 3, 1]]
    by_median = ranks_from_long(table, higher_is_better=True, replicates="median")
    assert by_median.to_numpy().tolist() == [[3, 2, 1]]
    ranks = {"row": [1, 1, 1], "label": ["a", "a", "b"], "rank": [1, 2, 1]}
    with pytest.raises(ValueError, match="keep one line per row and label"):
        ranks_from_long(ranks, replicates="mean")


def test_a_table_needs_content_and_two_labels():
    with pytest.raises(ValueError, match=r"no column 'value' or 'rank'.*'row', 'label'"):
        ranks_from_long({"row": [1], "label": ["a"]})
    with pytest.raises(ValueError, match=r"found 1 label \['a'\].*at least two"):
        ranks_from_long({"row": [1], "label": ["a"], "rank": [1]})
    with pytest.raises(TypeError, match="give a DataFrame"):
        ranks_from_long(np.ones((2, 3)))


def test_doubled_columns_are_refused():
    table = pd.DataFrame([[1, "a", 1, 1]], columns=["row", "label", "rank", "row"])
    with pytest.raises(ValueError, match="2 columns 'row'"):
        ranks_from_long(table)


def test_a_table_that_could_not_be_read_back_is_not_written():
    twice = pd.DataFrame([[1, 2], [2, 1]], index=["r", "r"])
    with pytest.raises(ValueError, match=r"row 'r' occurs twice in the index.*reset_index"):
        long_from_ranks(twice)
    with pytest.raises(ValueError, match="the column names: label 'x' occurs twice"):
        long_from_ranks([[1, 2]], row="x", label="x")


def test_polars_in_polars_out():
    polars = pytest.importorskip("polars")
    columns = {
        "row": [7, 7, 8, 8],
        "label": ["tea", "coffee", "coffee", "water"],
        "value": [0.9, 0.2, 0.4, 0.4],
    }
    table, plain = polars.DataFrame(columns), pd.DataFrame(columns)
    ranks = ranks_from_long(table, higher_is_better=True)
    expected = ranks_from_long(plain, higher_is_better=True)
    assert isinstance(ranks, polars.DataFrame)
    assert ranks.columns == list(expected.columns)
    np.testing.assert_array_equal(ranks.to_numpy(), expected.to_numpy())
    assert ranks["tea"].to_list() == [1.0, None]
    assert table["row"].unique(maintain_order=True).to_list() == list(expected.index)
    np.testing.assert_array_equal(check_rankings(ranks), expected.to_numpy())
