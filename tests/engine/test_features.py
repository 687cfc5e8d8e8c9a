"""Codes keep every comparison of two values of a feature, whatever the numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rankwise._blocks import LANES
from rankwise._intrinsics import BLOCK
from rankwise.engine import BooleanFeatures, CodedFeatures, code_features, plain_features
from rankwise.engine._features import MISSING, between

numbers = st.floats(allow_infinity=False, allow_nan=False, width=64)
matrices = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.one_of(numbers, st.just(np.nan), st.sampled_from([-1.0, 0.0, 1.0])),
)


@given(matrices)
def test_codes_order_as_the_values_do(X):
    features = code_features(X)
    assert (features.n_samples, features.n_features) == X.shape
    for j in range(X.shape[1]):
        column = X[:, j]
        if isinstance(features, BooleanFeatures):
            codes = features.columns_of(np.array([j]))[0].astype(int)
            missing = np.zeros(len(X), dtype=bool)
        else:
            codes, missing = features.by_feature[j], features.by_feature[j] == MISSING
        np.testing.assert_array_equal(missing, np.isnan(column))
        seen = ~missing
        np.testing.assert_array_equal(
            codes[seen][:, None] < codes[seen], column[seen][:, None] < column[seen]
        )


@given(matrices, st.sampled_from([None, 2, 3, 7]))
def test_codes_give_the_ends_of_the_values_that_share_them(X, max_bins):
    features = code_features(X, max_bins)
    if isinstance(features, CodedFeatures):
        lowest, highest = features.ends
        for j in range(X.shape[1]):
            seen = ~np.isnan(X[:, j])
            np.testing.assert_array_equal(features.codes[:, j] == features.n_codes[j], ~seen)
            places = features.offsets[j] + features.codes[seen, j].astype(np.uint64)
            assert (lowest[places] <= X[seen, j]).all()
            assert (X[seen, j] <= highest[places]).all()
            if max_bins is None or len(np.unique(X[seen, j])) <= 4 * max_bins:
                np.testing.assert_array_equal(lowest[places], X[seen, j])
                order = features.order[j]
                np.testing.assert_array_equal(X[order, j], np.sort(X[:, j]))
            else:
                assert features.n_codes[j] <= max_bins
            assert (features.highest[j][:-1] < features.lowest[j][1:]).all()


def test_values_that_would_be_few_to_a_bin_keep_their_codes():
    for n_values, n_codes in ((8, 8), (9, 2)):
        X = (np.arange(60.0) % n_values)[:, None]
        assert code_features(X, max_bins=2).n_codes == [n_codes]


def test_bins_hold_about_as_many_rows_each():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 1))
    counts = np.bincount(code_features(X, 255).codes[:, 0])
    assert len(counts) == 255
    assert counts.min() >= 10_000 // 255 - 1
    assert counts.max() <= 10_000 // 255 + 2
    # half of the rows have one value, which takes a bin of its own and leaves the others theirs
    X[:5000] = 0.0
    counts = np.bincount(code_features(X, 255).codes[:, 0])
    assert 250 <= len(counts) <= 255
    assert np.sort(counts)[-2] < 5000 / 250 + 2


def test_more_values_than_two_bytes_hold_have_a_code_each():
    codes = np.random.default_rng(0).permutation(66_000)
    features = code_features(codes[:, None] / 4)
    assert features.codes.dtype == np.uint32
    np.testing.assert_array_equal(features.codes[:, 0], codes)
    np.testing.assert_array_equal(features.lowest[0], np.arange(66_000) / 4)


def test_plain_features_are_the_numbers_in_whole_blocks():
    X = np.arange(30.0).reshape(3, 10)
    features = plain_features(X)
    rows = features.values.reshape(3, -1)
    np.testing.assert_array_equal(rows[:, :10], X)
    assert rows.shape[1] % LANES == 0
    assert not rows[:, 10:].any()
    assert (features.n_samples, features.n_features) == X.shape


@given(numbers, numbers)
def test_a_threshold_lies_between_its_neighbours(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low <= between(low, high) < high


def test_two_values_per_feature_are_boolean_whatever_they_are():
    X = np.array([[3.0, -1.0, 5.0], [7.0, -1.0, 5.0], [3.0, -2.0, 5.0]])
    features = code_features(X)
    np.testing.assert_array_equal(
        features.columns_of(np.arange(3)), [[0, 1, 0], [1, 1, 0], [0, 0, 0]]
    )
    np.testing.assert_array_equal(features.thresholds, [5.0, -1.5, np.inf])


def test_a_gap_or_a_third_value_is_not_boolean():
    assert isinstance(code_features(np.array([[0.0], [1.0], [np.nan]])), CodedFeatures)
    assert isinstance(code_features(np.array([[0], [1], [2]])), CodedFeatures)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_the_ends_of_a_whole_type_are_no_neighbours(dtype):
    """One more than the greatest number of a type is its least one."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    two = np.array([[low], [high], [high]], dtype=dtype)
    assert code_features(two).columns_of(np.arange(1)).tolist() == [[0, 1, 1]]
    three = np.array([[low], [high], [high // 2]], dtype=dtype)
    assert code_features(three).codes.ravel().tolist() == [0, 2, 1]
    neighbours = np.array([[high - 1], [high], [high]], dtype=dtype)
    # beyond 2**53 both are one float
    expected = [[0, 1, 1]] if high < 2**53 else [[0, 0, 0]]
    assert code_features(neighbours).columns_of(np.arange(1)).tolist() == expected


def test_a_feature_that_is_always_missing_has_no_values():
    features = code_features(np.array([[np.nan, 1.0], [np.nan, 2.0]]))
    assert len(features.lowest[0]) == len(features.highest[0]) == 0
    np.testing.assert_array_equal(features.codes, [[0, 0], [0, 1]])


@pytest.mark.parametrize("d", [1, BLOCK - 1, BLOCK, BLOCK + 1])
def test_bits_hold_the_columns_and_nothing_beyond_them(d):
    X = np.random.default_rng(d).integers(2, size=(50, d))
    X[0], X[1] = 0, 1
    features = code_features(X)
    width = features.n_blocks * BLOCK
    places = np.arange(width)
    unfolded = features.bits[:, places // 32] >> (places % 32).astype(np.uint32) & 1
    np.testing.assert_array_equal(unfolded[:, :d], X)
    assert not unfolded[:, d:].any()
    np.testing.assert_array_equal(features.columns_of(np.arange(d)), X.T)
    few = np.array([d - 1, 0])
    np.testing.assert_array_equal(features.columns_of(few), X.T[few])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint8, bool])
def test_any_dtype_and_layout_gives_the_same_codes(dtype):
    X = np.random.default_rng(0).integers(2, size=(40, 6))
    expected = code_features(X.astype(np.float64))
    for other in (X.astype(dtype), np.asfortranarray(X, dtype=dtype), X.astype(dtype)[::-1][::-1]):
        np.testing.assert_array_equal(code_features(other).bits, expected.bits)


def test_the_first_chunk_does_not_decide_for_the_rest():
    X = np.zeros((20_000, 1))
    X[::2] = 1.0
    assert isinstance(code_features(X), BooleanFeatures)
    X[-1] = 0.5
    features = code_features(X)
    assert isinstance(features, CodedFeatures)
    np.testing.assert_array_equal(features.lowest[0], [0.0, 0.5, 1.0])
