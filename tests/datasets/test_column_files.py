"""Parquet: numbers stay numbers; a friendly message where pyarrow is not there."""

import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.datasets.tables import texts_of, use_table

DRINKS = Dataset(
    [[8.5, np.nan], [17.0, 1e-300]],
    [[1, 2, 2], [np.nan, 1, 2]],
    feature_names=["hour", "x,y"],
    label_names=["coffee", "tea", "water"],
    weights=[2, 1],
)


def test_a_dataset_comes_back_as_it_was(tmp_path):
    write(DRINKS, tmp_path / "drinks.parquet")
    found = read(tmp_path / "drinks.parquet")
    assert found.feature_names == DRINKS.feature_names
    assert found.label_names == DRINKS.label_names
    assert_array_equal(found.features, DRINKS.features)
    assert_array_equal(found.ranks, DRINKS.ranks)
    assert_array_equal(found.weights, DRINKS.weights)


def test_numbers_stay_numbers_and_texts_stay_texts(tmp_path):
    columns = {
        "whole": [2**40 + 1, None, 3],
        "small": pyarrow.array([0.1, np.nan, 3.0], pyarrow.float32()),
        "flag": [True, None, False],
        "grade": [1, 2, None],
        "text": ["1", None, "2"],
        "ranking": ["a>b", "b>a", "a>b"],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    found = read(tmp_path / "t.parquet", nominal=["grade"])
    assert found.feature_names == ("whole", "small", "flag", "grade=2", "text")
    expected = [
        [2**40 + 1, np.float32(0.1), 1, 0, 1],
        [np.nan, np.nan, np.nan, 1, np.nan],
        [3, 3, 0, np.nan, 2],
    ]
    assert_array_equal(found.features, expected)
    _, cells = use_table(tmp_path / "t.parquet", lambda table: next(table.chunks()))
    assert [isinstance(column, np.ndarray) for column in cells] == [True] * 4 + [False] * 2
    assert texts_of(cells[0]) == [str(2**40 + 1), "", "3"]


def test_infinite_numbers_are_refused_with_their_row(tmp_path):
    columns = {"x": [1.0, np.inf], "ranking": ["a>b", "b>a"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match="line 2: column 'x' holds 'inf'; numbers are finite"):
        read(tmp_path / "t.parquet")


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataFileError, match="cannot be read as Parquet"):
        read(tmp_path / "a.parquet")


def test_without_pyarrow_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match="reading Parquet files needs pyarrow"):
        read(tmp_path / "a.parquet")
    with pytest.raises(ImportError, match="writing Parquet files needs pyarrow"):
        write(DRINKS, tmp_path / "b.parquet")
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_dates_and_lists_are_no_features(tmp_path):
    days = pyarrow.array([19000, 19000, 19001], pyarrow.date32())
    rankings = ["a>b", "b>a", "a>b"]
    parquet.write_table(pyarrow.table({"day": days, "ranking": rankings}), tmp_path / "d.parquet")
    with pytest.raises(DataFileError, match="line 1: column 'day' holds the date '2022-01-08'"):
        read(tmp_path / "d.parquet")
    lists = {"x": [[1], [2, 3], []], "ranking": rankings}
    parquet.write_table(pyarrow.table(lists), tmp_path / "l.parquet")
    with pytest.raises(DataFileError, match=r"column 'x' holds list<.*>, and cells are numbers"):
        read(tmp_path / "l.parquet")


def test_what_pandas_writes_is_read_with_categories_and_large_numbers(tmp_path):
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(["ArI", None, "ArBr"]),
            "size": pd.array([1, None, 3], dtype="Int64"),
            "price": [Decimal("1.25"), None, Decimal("3.5")],
            "ranking": ["a>b", "b>a", "a>b"],
        },
        index=pd.Index(["p", "q", "r"], name="plot"),
    )
    frame.to_parquet(tmp_path / "p.parquet")
    found = read(tmp_path / "p.parquet", columns={"row": "plot"})
    assert found.row_names == ("p", "q", "r")
    assert found.feature_names == ("kind=ArBr", "size", "price")
    assert_array_equal(found.features, [[0, 1, 1.25], [np.nan, np.nan, np.nan], [1, 3, 3.5]])


def test_a_long_table_of_values_is_read(tmp_path):
    columns = {"row": ["s", "s", "s"], "label": ["a", "a", "b"], "value": [70.0, 74.0, 50.0]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "v.parquet")
    with pytest.raises(DataFileError, match="are high ones better"):
        read(tmp_path / "v.parquet")
    found = read(tmp_path / "v.parquet", higher_is_better=True)
    assert_array_equal(found.values, [[72, 50]])
    assert_array_equal(found.replicates, [[2, 1]])
