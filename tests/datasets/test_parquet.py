"""Parquet, where pyarrow is there; a friendly message where it is not."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.datasets.tables import open_table, texts_of

DRINKS = Dataset(
    [[8.5, np.nan], [17.0, 1e-300]],
    [[1, 2, 2], [np.nan, 1, 2]],
    feature_names=["hour", "x,y"],
    label_names=["coffee", "tea", "water"],
    weights=[2, 1],
)


def test_a_dataset_comes_back_as_it_was(tmp_path):
    pytest.importorskip("pyarrow")
    write(DRINKS, tmp_path / "drinks.parquet")
    found = read(tmp_path / "drinks.parquet")
    assert found.feature_names == DRINKS.feature_names
    assert found.label_names == DRINKS.label_names
    assert_array_equal(found.X, DRINKS.X)
    assert_array_equal(found.Y, DRINKS.Y)
    assert_array_equal(found.weights, DRINKS.weights)


def test_numbers_stay_numbers_and_texts_stay_texts(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
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
    assert_array_equal(found.X, expected)
    with open_table(tmp_path / "t.parquet") as table:
        _, cells = next(table.chunks())
    assert [isinstance(column, np.ndarray) for column in cells] == [True] * 4 + [False] * 2
    assert texts_of(cells[0]) == [str(2**40 + 1), "", "3"]


def test_infinite_numbers_are_refused_with_their_row(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"x": [1.0, np.inf], "ranking": ["a>b", "b>a"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match="line 2: column 'x' holds 'inf'; numbers are finite"):
        read(tmp_path / "t.parquet")


def test_a_damaged_file_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
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
