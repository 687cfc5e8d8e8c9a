"""Parquet and Arrow: numbers stay numbers; a friendly message where pyarrow is not there."""

import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather, ipc, parquet

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


def columns(n=3):
    return pyarrow.table(
        {
            "hour": np.linspace(8, 17, n),
            "early": np.arange(n) < n // 2,
            "place": pyarrow.array(["home", "work", None] * (n // 3)).dictionary_encode(),
            "tea": np.arange(n) % 2 + 1,
            "soup": 2 - np.arange(n) % 2,
        }
    )


def write_columns(path, table, kind, **options):
    """Write a table as another program would: pandas as Feather, pyarrow as a stream, or as a file."""
    if kind == "feather":
        feather.write_feather(table, str(path), **options)
        return
    with (
        pyarrow.OSFile(str(path), "wb") as file,
        getattr(ipc, f"new_{kind}")(file, table.schema) as writer,
    ):
        writer.write_table(table, **options)


@pytest.mark.parametrize(
    ("ending", "kind", "options"),
    [
        (".arrow", "file", {}),
        (".arrow", "file", {"max_chunksize": 2}),
        (".arrow", "stream", {"max_chunksize": 4}),
        (".feather", "feather", {"compression": "lz4"}),
        (".feather", "feather", {"compression": "zstd", "chunksize": 5}),
        (".table", "file", {}),  # its content says what it is
    ],
)
def test_arrow_files_are_read_as_parquet_is(tmp_path, ending, kind, options):
    parquet.write_table(columns(6), tmp_path / "t.parquet")
    write_columns(tmp_path / f"t{ending}", columns(6), kind, **options)
    found, expected = (
        read(tmp_path / f"t{e}", labels=["tea", "soup"]) for e in (ending, ".parquet")
    )
    assert found.recipe == expected.recipe
    assert_array_equal(found.features, expected.features)
    assert_array_equal(found.ranks, expected.ranks)


def test_what_is_written_as_arrow_comes_back_and_can_be_mapped(tmp_path):
    write(DRINKS, tmp_path / "drinks.arrow")
    found = read(tmp_path / "drinks.arrow")
    assert found.feature_names == DRINKS.feature_names
    assert_array_equal(found.features, DRINKS.features)
    assert_array_equal(found.ranks, DRINKS.ranks)
    before = pyarrow.total_allocated_bytes()
    mapped = ipc.open_file(pyarrow.memory_map(str(tmp_path / "drinks.arrow"))).read_all()
    assert pyarrow.total_allocated_bytes() == before
    assert mapped.num_rows == 2


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_damaged_arrow_file_is_named_wherever_it_is_cut_or_changed(tmp_path, kind):
    path = tmp_path / "t.arrow"
    write_columns(path, columns(6), kind)
    content = path.read_bytes()
    rng, messages = np.random.default_rng(0), []
    for at in rng.integers(8, len(content), 25):
        for damaged in (content[:at], content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :]):
            path.write_bytes(damaged)
            try:  # some changes are of padding, or of a number
                assert read(path, labels=["tea", "soup"]).ranks.shape[1] == 2
            except DataFileError as error:
                messages.append(str(error))
    assert all(path.name in message for message in messages)
    assert len(messages) > 25  # those cut short, and some of those changed


def test_feather_of_version_1_and_what_is_no_arrow_are_told_apart(tmp_path):
    for content, message in (
        (b"FEA1" + bytes(100), "is Feather of version 1; write it anew, as version 2"),
        (b"ARROW1" + bytes(100), "cannot be read as Arrow"),
        (b"hour,tea,soup\n8,1,2\n", "cannot be read as Arrow"),
        (b"", "cannot be read as Arrow"),
    ):
        (tmp_path / "t.arrow").write_bytes(content)
        with pytest.raises(DataFileError, match=message):
            read(tmp_path / "t.arrow")


def test_a_text_that_ends_behind_an_arrow_file_is_refused(tmp_path):
    path = tmp_path / "t.arrow"
    write_columns(path, pyarrow.table({"x": ["home", "work"], "ranking": ["a>b", "b>a"]}), "file")
    ends = [np.array([0, 4, end], np.int32).tobytes() for end in (8, 1 << 30)]
    content = path.read_bytes()
    assert content.count(ends[0]) == 1
    path.write_bytes(content.replace(*ends))
    with pytest.raises(DataFileError, match="cannot be read as Arrow"):
        read(path)
