"""Files as parts: Parquet by row groups, other tables file by file, faults named with file and row."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rankwise.datasets import DataFileError, read
from rankwise.datasets.tables import open_columns
from rankwise.forest import ForestRanker
from rankwise.parts import _column_files, open_parts

LABELS = ["tea", "soup", "milk"]
FOREST = {"n_estimators": 3, "random_state": 0}


def table(n=500, seed=0, kind="float"):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.random(n) < 0.5 for name in "abc"})
    if kind == "float":
        X = X.assign(a=rng.normal(size=n), b=np.where(rng.random(n) < 0.1, np.nan, X["b"]))
    if kind == "text":
        X = X.assign(a=rng.choice(["x", "y", "z"], n), b=rng.integers(0, 5, n))
    ranks = np.argsort(np.argsort(rng.normal(size=(n, 3)), axis=1), axis=1) + 1
    return pd.concat([X, pd.DataFrame(ranks, columns=LABELS)], axis=1)


def write(frame, folder, n_files, ending="parquet", **how):
    rows = np.array_split(np.arange(len(frame)), n_files)
    for i, own in enumerate(rows):
        path = folder / f"{i}.{ending}"
        if ending == "parquet":
            frame.iloc[own].to_parquet(path, index=False, **how)
        elif ending == "arrow":
            frame.iloc[own].reset_index(drop=True).to_feather(path, **how)
        else:
            frame.iloc[own].to_csv(path, index=False)
    return f"{folder}/*.{ending}"


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_parquet_files_give_the_forest_of_the_table(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(_column_files, "ROWS_PER_PART", 60)
    frame = table(kind=kind)
    pattern = write(frame, tmp_path, 12, row_group_size=20)
    parts = open_parts(pattern, labels=LABELS)
    assert parts.n_rows == 500
    assert len(parts.parts) == 12
    assert parts.dtype == (bool if kind == "bool" else np.float64)
    model = ForestRanker(**FOREST).fit_parts(parts)
    expected = ForestRanker(**FOREST).fit(frame[list("abc")].astype(float), frame[LABELS])
    assert list(model.labels_) == LABELS
    assert list(model.feature_names_in_) == list("abc")
    rows = frame[list("abc")].astype(float)
    pd.testing.assert_frame_equal(model.predict_positions(rows), expected.predict_positions(rows))


@pytest.mark.parametrize(
    ("how", "n_parts"),
    [
        ({"compression": "uncompressed"}, 12),  # of one batch, which is mapped and divided
        ({"compression": "lz4"}, 6),  # of one batch, which is unpacked whole
        ({"compression": "lz4", "chunksize": 100}, 12),
    ],
)
def test_arrow_files_give_the_forest_of_the_parquet_files(tmp_path, how, n_parts, monkeypatch):
    monkeypatch.setattr(_column_files, "ROWS_PER_PART", 400)
    frame = table(3000, kind="bool").assign(**{"@weight": np.arange(3000) % 3})
    frame["c"] = np.where(np.arange(3000) % 7, frame["c"].astype(float), np.nan)
    models = []
    for ending, more in (("arrow", how), ("parquet", {})):
        parts = open_parts(write(frame, tmp_path, 6, ending, **more), labels=LABELS)
        assert parts.weighted
        models.append(ForestRanker(**FOREST).fit_parts(parts))
        if ending == "arrow":
            assert len(parts.parts) == n_parts
    for name in ("feature", "threshold", "left", "values"):
        one, same = (getattr(model._trees, name) for model in models)
        assert one.tobytes() == same.tobytes(), name


def test_parts_of_a_mapped_arrow_file_read_no_more_than_their_rows(tmp_path):
    frame = pd.DataFrame({name: np.arange(50_000.0) for name in [*"abcdef", *LABELS]}) % 3 + 1
    frame.to_feather(tmp_path / "t.arrow", compression="uncompressed")
    with open_columns(str(tmp_path / "t.arrow")) as file:
        before = pa.total_allocated_bytes()
        kept = list(file.batches(1000, ["b", "tea"]))
        assert pa.total_allocated_bytes() == before
    assert len(kept) == 50
    assert [batch.schema.names for batch in kept[:1]] == [["b", "tea"]]


def test_a_bad_cell_of_an_arrow_file_is_named_with_file_and_row(tmp_path, monkeypatch):
    monkeypatch.setattr(_column_files, "ROWS_PER_PART", 40)
    frame = table()
    frame.loc[399, "b"] = np.inf
    parts = open_parts(
        write(frame, tmp_path, 2, "arrow", compression="uncompressed"), labels=LABELS
    )
    with pytest.raises(DataFileError, match=r"1\.arrow, line 150: feature 'b' is infinite"):
        ForestRanker(**FOREST).fit_parts(parts)


def test_texts_in_parts_are_encoded_as_in_one_file(tmp_path):
    frame = table(kind="text")
    # a part may lack a category, or a value in all rows
    frame.loc[:100, "a"], frame.loc[101:200, "a"] = "z", None
    frame.to_csv(tmp_path / "all.csv", index=False)
    (tmp_path / "parts").mkdir()
    parts = open_parts(write(frame, tmp_path / "parts", 5, "csv"), labels=LABELS)
    whole = read(tmp_path / "all.csv", labels=LABELS)
    assert parts.recipe == whole.recipe
    blocks = [block.X for part in parts.parts for block in part.blocks()]
    np.testing.assert_array_equal(np.concatenate(blocks), whole.features)


def test_a_counter_of_rows_is_left_out_and_weights_and_scores_are_read(tmp_path):
    frame = table().assign(number=np.arange(500), **{"@weight": 2})
    parts = open_parts(
        write(frame, tmp_path, 2), labels=LABELS, higher_is_better=True, drop_names=True
    )
    assert parts.feature_names == ("a", "b", "c")
    assert parts.weighted
    block = next(iter(parts.parts[0].blocks()))
    assert (block.weights == 2).all()
    np.testing.assert_array_equal(block.positions, 2 * (4 - frame[LABELS].to_numpy()[:250]))


@pytest.mark.parametrize("empty", [np.nan, None], ids=["floats", "nothing"])
def test_a_column_that_is_empty_in_every_file_is_left_out(tmp_path, empty):
    frame = table().assign(never=empty, late=np.where(np.arange(500) < 499, np.nan, 1.0))
    pattern = write(frame, tmp_path, 2, row_group_size=100)
    parts = open_parts(pattern, labels=LABELS, drop_names=True)
    assert parts.feature_names == ("a", "b", "c", "late")
    assert parts.recipe.left_out == ("never",)
    kept = open_parts(pattern, labels=LABELS, drop_names=True, features=["a", "never"])
    assert kept.feature_names == ("a", "never")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f.drop(columns="b"),
            r"1\.parquet: lacks the column 'b', which .*0\.parquet has",
        ),
        (lambda f: f.assign(b="much"), r"1\.parquet: column 'b' holds .*string here and double in"),
        (lambda f: f.assign(tea=[0, *[1] * 249]), r"1\.parquet, line 1: label 'tea' has rank 0"),
        (
            lambda f: f.assign(a=[*[1.0] * 200, *[np.inf] * 50]),
            r"1\.parquet, line 201: feature 'a'",
        ),
        (lambda f: f.assign(d=1), r"1\.parquet: has the column 'd', unlike .*0\.parquet"),
        (
            lambda f: f.assign(milk=[*f["milk"][:9], 1.3, *f["milk"][10:]]),
            r"1\.parquet, line 10: label 'milk' has 1\.3, which is no rank",
        ),
    ],
)
def test_a_file_unlike_the_others_is_named(tmp_path, change, message):
    pattern, frame = write(table(), tmp_path, 2), table().iloc[250:]
    change(frame).to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(DataFileError, match=message):
        ForestRanker(**FOREST).fit_parts(open_parts(pattern, labels=LABELS))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_without_rows_is_refused_by_name_or_passed_over(tmp_path, ending):
    frame = table(n=60)
    pattern = write(frame, tmp_path, 2, ending)
    # a column of gaps is one of numbers
    for name, rows in (("00", frame.iloc[:0]), ("3", frame.iloc[:9].assign(a=None))):
        if ending == "csv":
            rows.to_csv(tmp_path / f"{name}.csv", index=False)
        else:
            rows.to_parquet(tmp_path / f"{name}.parquet", index=False)
    with pytest.raises(DataFileError, match=rf"00\.{ending}: has no rows; delete it"):
        open_parts(pattern, labels=LABELS)
    parts = open_parts(pattern, labels=LABELS, empty="skip")
    blocks = [block.X for part in parts.parts for block in part.blocks()]
    assert parts.n_rows == 69
    assert np.isnan(blocks[-1][:, 0]).all()
    with pytest.raises(ValueError, match="empty is 'keep'; use 'error' or 'skip'"):
        open_parts(pattern, labels=LABELS, empty="keep")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_of_which_none_has_rows_are_refused(tmp_path, ending):
    pattern = write(table().iloc[:0], tmp_path, 2, ending)
    for empty in ("error", "skip"):
        with pytest.raises(ValueError, match=r"no rows"):
            ForestRanker(**FOREST).fit_parts(
                open_parts(pattern, labels=LABELS, drop_names=True, empty=empty)
            )


def test_row_groups_without_rows_are_passed_over(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = table(n=60, kind="bool")
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    with pq.ParquetWriter(tmp_path / "0.parquet", rows.schema) as writer:
        for start, length in ((0, 0), (0, 30), (30, 0), (30, 30), (60, 0)):
            writer.write_table(rows.slice(start, length))
    parts = open_parts(tmp_path / "0.parquet", labels=LABELS)
    X = np.concatenate([block.X for part in parts.parts for block in part.blocks()])
    np.testing.assert_array_equal(X, frame[list("abc")])


def test_a_folder_called_as_a_table_is_refused(tmp_path):
    pattern = write(table(), tmp_path, 2)
    (tmp_path / "2.parquet").mkdir()
    with pytest.raises(DataFileError, match=r"2\.parquet: is a folder; give the files in it"):
        open_parts(pattern, labels=LABELS)


def test_a_text_among_numbers_is_named_with_its_line(tmp_path):
    pattern = write(table(), tmp_path, 2, "csv")
    lines = (tmp_path / "1.csv").read_text().splitlines()
    lines[7] = "," + "much," + lines[7].split(",", 2)[2]
    (tmp_path / "1.csv").write_text("\n".join(lines))
    with pytest.raises(DataFileError, match=r"1\.csv, line 8: column 'b' holds 'much'"):
        open_parts(pattern, labels=LABELS)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    parts = open_parts(write(table(), tmp_path, 2), labels=LABELS)
    table(n=10).to_parquet(tmp_path / "1.parquet", index=False)
    with pytest.raises(DataFileError, match=r"1\.parquet: has changed while it was in use"):
        ForestRanker(**FOREST).fit_parts(parts)


def test_files_are_taken_in_natural_order_and_a_pattern_must_fit_some(tmp_path):
    from rankwise.parts.steps import find_files

    for i in (10, 2, 1):
        (tmp_path / f"{i}.csv").touch()
    assert [path[len(str(tmp_path)) + 1 :] for path in find_files(tmp_path)] == [
        "1.csv", "2.csv", "10.csv",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no file is called"):
        find_files(f"{tmp_path}/*.parquet")
