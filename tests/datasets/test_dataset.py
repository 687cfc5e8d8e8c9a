"""The container: unpacking, frames, splits, and what it refuses."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import Dataset, available, load
from rankwise.tree import TreeRanker

NAMES = {"feature_names": ["hour"], "label_names": ["tea", "coffee", "water"]}


def drinks(**extra):
    return Dataset([[8.0], [np.nan]], [[1, 2, 3], [2, 1, np.nan]], **NAMES, **extra)


def test_it_unpacks_into_features_and_ranks():
    data = drinks(row_names=["ann", "bob"])
    X, Y = data
    assert list(X.columns) == ["hour"]
    assert list(Y.columns) == ["tea", "coffee", "water"]
    assert list(X.index) == list(Y.index) == ["ann", "bob"]
    assert_array_equal(Y, [[1, 2, 3], [2, 1, np.nan]])
    assert len(data) == data.n_samples == 2
    assert data.features.dtype == data.ranks.dtype == np.float64
    assert_array_equal(X, data.features)
    assert_array_equal(Y, data.ranks)


def test_names_are_kept_by_rankers_without_a_warning():
    data = load("generated/iris")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = TreeRanker().fit(data.X, data.Y)
        predicted = model.predict(data.X)
    assert tuple(model.feature_names_in_) == data.feature_names
    assert tuple(model.labels_) == tuple(predicted.columns) == data.label_names


def test_data_with_names_is_the_same_memory():
    array = np.ones((5, 3))
    data = Dataset(array, [[1, 2]] * 5)
    assert np.shares_memory(data.features, array)
    assert np.shares_memory(data.X.to_numpy(), array)
    assert np.shares_memory(replace(data, name="tea").features, array)
    assert np.shares_memory(data.Y.to_numpy(), data.ranks)


def test_names_of_frames_are_taken():
    frame = pd.DataFrame({"hour": [8.0, 9.0]})
    ranks = pd.DataFrame({"tea": [1, 2], "coffee": [2, 1]})
    data = Dataset(frame, ranks)
    assert (data.feature_names, data.label_names) == (("hour",), ("tea", "coffee"))
    renamed = replace(data, label_names=["a", "b"])
    assert list(renamed.Y.columns) == ["a", "b"]


def test_the_frame_holds_features_then_ranks_by_name():
    frame = drinks(row_names=["ann", "bob"]).to_frame(label_prefix="rank_")
    assert list(frame.columns) == ["hour", "rank_tea", "rank_coffee", "rank_water"]
    assert list(frame.index) == ["ann", "bob"]
    pd.testing.assert_series_equal(
        frame["rank_tea"], pd.Series([1.0, 2.0], index=["ann", "bob"], name="rank_tea")
    )


def test_a_feature_and_a_label_of_one_name_need_a_prefix():
    dataset = Dataset([[1.0]], [[1, 2]], feature_names=["a"], label_names=["a", "b"])
    with pytest.raises(ValueError, match="label_prefix='rank_'"):
        dataset.to_frame()
    assert list(dataset.to_frame(label_prefix="rank_").columns) == ["a", "rank_a", "rank_b"]


def test_read_only_arrays_and_frames_are_taken():
    X, Y = np.ones((2, 1)), np.array([[1.0, 2.0], [2.0, 1.0]])
    X.flags.writeable = Y.flags.writeable = False
    assert_array_equal(Dataset(X, Y).ranks, Y)
    assert_array_equal(Dataset(pd.DataFrame(X), pd.DataFrame(Y)).ranks, Y)


def test_splits_cover_every_row_once_per_repetition():
    dataset = drinks(folds=[[1, 2], [2, 2]])
    assert [(a.tolist(), b.tolist()) for a, b in dataset.splits()] == [
        ([1], [0]),
        ([0], [1]),
        ([], [0, 1]),
    ]
    with pytest.raises(ValueError, match="brings no folds"):
        drinks().splits()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [1.0, 2.0]}, "X is 1-D"),
        ({"X": [[1.0]]}, "X has 1 rows but Y has 2"),
        ({"X": [[1.0], [np.inf]]}, "row 1: feature 0 is infinite"),
        ({"Y": [[0, 1, 2], [1, 2, 3]]}, "label 'tea' has rank 0"),
        ({"feature_names": ["a", "b"]}, "2 feature names for 1 features"),
        ({"label_names": ["a", "a", "b"]}, "'a'"),
        ({"label_names": ["a", "", "b"]}, "empty name"),
        ({"weights": [1, -1]}, "row 1: weight -1.0"),
        ({"weights": [1]}, "weights has shape"),
        ({"values": [[1, 2], [1, 2]]}, "values has shape"),
        ({"folds": [1]}, "folds has shape"),
        ({"row_names": ["a"]}, "1 row names for 2 rows"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    fine = {"X": [[8.0], [9.0]], "Y": [[1, 2, 3], [2, 1, 3]], **NAMES}
    with pytest.raises(ValueError, match=message):
        Dataset(**(fine | arguments))


def test_the_listing_prints_and_becomes_a_frame():
    assert "iris                    150         4       3  complete" in repr(available())
    frame = available("partial").to_frame()
    assert frame.loc["partial/iris"].tolist() == [150, 4, 3, "partial"]


def test_a_dataset_says_its_shape_and_its_labels():
    data = Dataset(np.zeros((2, 1)), [[1, 2], [2, 1]], label_names=["tea", "a\x1bb"], name="drinks")
    assert repr(data).startswith("<Dataset 'drinks': 2 rows, 1 feature, 2 labels: tea, a")
    assert "\x1b" not in repr(data)
