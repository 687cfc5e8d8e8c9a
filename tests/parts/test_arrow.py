"""Arrow tables, in memory or mapped from a file, give the forest of the same numbers in arrays."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from rankwise.forest import ForestRanker
from rankwise.parts import array_parts

FOREST = {"n_estimators": 3, "max_samples": 100, "random_state": 0}
LABELS = ["tea", "soup", "milk"]


def tables(kind, n=500):
    rng = np.random.default_rng(0)
    X = rng.random((n, 4)) < 0.5 if kind is bool else rng.integers(0, 50, (n, 4)).astype(kind)
    y = rng.random((n, 3)).argsort(axis=1) + 1
    named = (zip("abcd", X.T, strict=True), zip(LABELS, y.T, strict=True))
    return X, y, *(pa.table({name: np.ascontiguousarray(own) for name, own in t}) for t in named)


def assert_same(model, other):
    for name in ("feature", "threshold", "missing_left", "left", "value_row", "values"):
        one, same = getattr(model._trees, name), getattr(other._trees, name)
        assert (one.dtype, one.tobytes()) == (same.dtype, same.tobytes()), name


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.int32, np.float32, np.float64])
def test_a_table_gives_the_forest_of_its_numbers_whatever_their_type(kind):
    X, y, rows, ranks = tables(kind)
    weights = np.arange(500) % 3
    chunked = pa.concat_tables([rows[:123], rows[123:]])
    for given in (rows, chunked):
        parts = array_parts(given, ranks, weights, rows_per_part=70)
        model = ForestRanker(**FOREST).fit_parts(pickle.loads(pickle.dumps(parts)))
        assert_same(model, ForestRanker(**FOREST).fit(X, y, weights))
        assert list(model.feature_names_in_) == [*"abcd"]
        assert list(model.labels_) == LABELS


def test_gaps_are_missing_features_and_labels():
    X, y, rows, ranks = tables(np.int32)
    X, y = X.astype(float), y.astype(float)
    X[::7, 1], y[::5, 2] = np.nan, np.nan
    for j, (table, numbers, name) in ((1, (rows, X, "b")), (2, (ranks, y, "milk"))):
        column = pa.array(numbers[:, j], from_pandas=True).cast("int32")
        table = table.set_column(j, name, column)
        rows, ranks = (table, ranks) if name == "b" else (rows, table)
    model = ForestRanker(**FOREST, decomposition="joint_pairwise").fit_parts(
        array_parts(rows, ranks)
    )
    expected = ForestRanker(**FOREST, decomposition="joint_pairwise").fit(X, y)
    assert_same(model, expected)


def test_a_table_of_a_mapped_file_is_read_and_a_part_takes_its_own_rows_along_alone(tmp_path):
    X, y, rows, ranks = tables(np.float64, n=20_000)
    for name, table in (("X", rows), ("y", ranks)):
        with (
            pa.OSFile(f"{tmp_path}/{name}.arrow", "wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=3000)
    mapped = [
        pa.ipc.open_file(pa.memory_map(f"{tmp_path}/{name}.arrow")).read_all() for name in "Xy"
    ]
    parts = array_parts(*mapped, rows_per_part=1000)
    assert_same(ForestRanker(**FOREST).fit_parts(parts), ForestRanker(**FOREST).fit(X, y))
    assert len(pickle.dumps(parts.parts[3])) < 2 * 1000 * 7 * 8


def test_a_bad_cell_or_column_is_named():
    _, _, rows, ranks = tables(np.float64)
    wrong = rows.set_column(2, "c", pa.array(np.r_[[0.0] * 400, np.inf, [0.0] * 99]))
    none = ranks.set_column(0, "tea", pa.array(np.r_[[1] * 333, 0, [1] * 166]))
    for X, y, message in (
        (wrong, ranks, r"X, row 400: feature 'c' is infinite"),
        (rows, none, r"y, row 333: label 'tea' has rank 0"),
    ):
        with pytest.raises(ValueError, match=message):
            ForestRanker(**FOREST).fit_parts(array_parts(X, y, rows_per_part=150))
    texts = rows.set_column(1, "b", pa.array(["x"] * 500))
    with pytest.raises(
        ValueError, match=r"X: column 'b' holds string, .* write the table to a file"
    ):
        array_parts(texts, ranks)
    with pytest.raises(ValueError, match=r"y has two columns called 'tea'; rename one"):
        array_parts(rows, ranks.rename_columns(["tea", "milk", "tea"]))
    with pytest.raises(TypeError, match=r"y is a ndarray, and the other is an Arrow table"):
        array_parts(rows, np.ones((500, 3)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples: 500 and 400"):
        array_parts(rows, ranks[:400])
