"""What is written reads back the same."""

import dataclasses
import os
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.rankings import ranks_from_scores

LABELS = [
    "tea",
    "green tea",
    "a,b",
    "x>y",
    "it's",
    "50%",
    "naïve",
    "L=1",
    'the "best"',
    "{z}",
    "10",
]
FEATURES = ["hour", "temp (°C)", "a,b", "color=red", "it's", "x%", '"q"', "{f}", "A1", "b;c"]
NUMBERS = st.one_of(st.floats(allow_nan=True, allow_infinity=False), st.integers(-5, 5).map(float))


@st.composite
def datasets(draw, labels=LABELS, features=FEATURES, weights=True, missing=True):
    n = draw(st.integers(1, 6))
    names = draw(st.lists(st.sampled_from(labels), min_size=2, max_size=5, unique=True))
    columns = draw(st.permutations(features))[: draw(st.integers(0, 4))]
    columns = [column for column in columns if column not in names]
    X = draw(arrays(np.float64, (n, len(columns)), elements=NUMBERS))
    scores = draw(arrays(np.float64, (n, len(names)), elements=st.integers(0, 4).map(float)))
    if missing:
        hidden = draw(arrays(bool, scores.shape))
        hidden[0] = False
        scores[hidden] = np.nan
    given_weights = draw(st.none() | arrays(np.float64, n, elements=st.integers(0, 9).map(float)))
    return Dataset(
        X,
        ranks_from_scores(scores),
        feature_names=tuple(columns),
        label_names=tuple(names),
        weights=given_weights if weights else None,
    )


def assert_same(found, expected):
    place = {label: j for j, label in enumerate(found.label_names)}
    assert sorted(place) == sorted(expected.label_names)
    assert found.feature_names == expected.feature_names
    assert_array_equal(found.features, expected.features)
    assert_array_equal(
        found.ranks[:, [place[label] for label in expected.label_names]], expected.ranks
    )


def assert_same_weights(found, expected):
    n = len(expected)
    ones = np.ones(n)
    assert_array_equal(
        ones if found.weights is None else found.weights,
        ones if expected.weights is None else expected.weights,
    )


@pytest.mark.hypothesis
@pytest.mark.parametrize("format", ["ranking", "wide"])
def test_csv_keeps_names_numbers_and_weights(format, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.csv"

    @given(datasets())
    def run(dataset):
        write(dataset, path, format=format)
        labels = dataset.label_names if format == "wide" else None
        found = read(path, format=format, labels=labels)
        assert_same(found, dataset)
        assert_same_weights(found, dataset)

    run()


def test_wide_csv_keeps_positions_with_gaps(tmp_path):
    dataset = Dataset([[1.0], [2.0]], [[1, 3, np.nan], [2, 4, 7]], label_names=["x", "y", "z"])
    write(dataset, tmp_path / "a.csv", format="wide")
    found = read(tmp_path / "a.csv", labels=["x", "y", "z"])
    assert_array_equal(found.ranks, dataset.ranks)
    assert any("gaps" in note and "line 2" in note for note in found.notes)


@pytest.mark.hypothesis
def test_long_csv_keeps_rankings_and_features(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.csv"

    @given(datasets(weights=False))
    def run(dataset):
        write(dataset, path, format="long")
        found = read(path)
        assert_same(found, dataset)
        assert found.row_names == tuple(str(i) for i in range(1, len(dataset) + 1))

    run()


@pytest.mark.hypothesis
def test_xarff_keeps_names_numbers_and_weights(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.xarff"
    labels = ["tea", "green tea", "a,b", "x>y", "naïve", "L=1", "10"]

    @given(datasets(labels=labels))
    def run(dataset):
        write(dataset, path)
        found = read(path)
        assert_same(found, dataset)
        assert found.label_names == dataset.label_names
        assert_same_weights(found, dataset)

    run()


def test_xarff_refuses_labels_that_it_could_not_read_back(tmp_path):
    dataset = Dataset([[1.0]], [[1, 2]], label_names=["a|b", "c"])
    with pytest.raises(ValueError, match=r"'a\|b'"):
        write(dataset, tmp_path / "x.xarff")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.hypothesis
def test_preflib_keeps_orders_and_counts(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.toi"

    @given(datasets(features=[]))
    def run(dataset):
        seen = ~np.isnan(dataset.ranks).all(axis=1)
        if dataset.weights is not None:
            seen &= dataset.weights > 0
        assume(seen.any())
        weights = None if dataset.weights is None else dataset.weights[seen]
        rows = {"X": dataset.features[seen], "Y": dataset.ranks[seen]}
        kept = dataclasses.replace(dataset, **rows, weights=weights)
        write(kept, path)
        found = read(path)
        assert_same(found, kept)
        assert_same_weights(found, kept)

    run()


@pytest.mark.parametrize(
    ("kind", "ranks"),
    [
        ("soc", [[1, 2, 3]]),
        ("soi", [[1, 2, np.nan]]),
        ("toc", [[1, 1, 2]]),
        ("toi", [[1, 1, np.nan]]),
    ],
)
def test_each_preflib_kind_takes_its_rankings_and_refuses_richer_ones(kind, ranks, tmp_path):
    dataset = Dataset(np.empty((1, 0)), ranks, label_names=["tea", "coffee", "water"])
    write(dataset, tmp_path / f"a.{kind}")
    assert_same(read(tmp_path / f"a.{kind}"), dataset)
    if kind != "toi":
        richer = dataclasses.replace(dataset, Y=np.array([[1, 1, np.nan]]))
        with pytest.raises(ValueError, match=f"do not fit .{kind}; write .toi"):
            write(richer, tmp_path / f"b.{kind}")


def test_scikit_lr_names_are_written_and_read_as_such(tmp_path):
    dataset = Dataset([[0.1, np.nan]], [[2, 1, 1]])
    write(dataset, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "A1,A2,L1,L2,L3\n0.1,,2,1,1\n"
    assert_same(read(tmp_path / "a.csv"), dataset)


def test_other_names_are_refused_by_scikit_lrs_format(tmp_path):
    dataset = Dataset([[1.0]], [[1, 2]], label_names=["tea", "coffee"])
    with pytest.raises(ValueError, match="names of '' would be lost"):
        write(dataset, tmp_path / "a.csv", format="scikit-lr")


def test_rows_that_share_a_name_are_not_merged_by_a_long_table(tmp_path):
    dataset = Dataset([[1.0], [1.0]], [[1, 2], [2, 1]], row_names=["a", "a"])
    with pytest.raises(ValueError, match="two rows have one name"):
        write(dataset, tmp_path / "a.csv", format="long")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.soc"
    path.write_text("old")
    with pytest.raises(ValueError, match="PrefLib holds no features"):
        write(Dataset([[1.0]], [[1, 2]]), path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.soc"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="no file that could be replaced"):
        write(Dataset([[1.0]], [[1, 2]]), tmp_path / "pipe.csv")
    assert (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.parametrize("name", ["a\nb", " a", "?", "a\tb"])
def test_names_that_no_file_can_keep_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="cannot be kept in a file"):
        write(Dataset([[1.0]], [[1, 2]], label_names=[name, "b"]), tmp_path / "a.csv")


def test_write_names_the_formats_it_knows(tmp_path):
    with pytest.raises(ValueError, match="cannot write format 'aslib'; known are scikit-lr"):
        write(Dataset([[1.0]], [[1, 2]]), tmp_path / "a", format="aslib")
    with pytest.raises(TypeError, match=r"dataset is .*; give a Dataset"):
        write(([[1.0]], [[1, 2]]), tmp_path / "a.csv")


def test_the_error_survives_pickling(tmp_path):
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "nothing.csv")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.path == str(tmp_path / "nothing.csv")
