"""Targets keep their numbers, whatever type they are kept in."""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from engine.problems import targets_of
from ranker import naive as naive_ties
from rankwise.engine import (
    UNLIMITED,
    BooleanFeatures,
    Targets,
    code_features,
    limit,
    position_targets,
    tied_targets,
)
from rankwise.engine._targets import comparison_units, row_weights, statistics
from rankwise.tree import TreeRanker


@pytest.mark.parametrize("largest", [5, 2**31 - 1, 2**31, 2**40])
def test_targets_too_large_for_32_bits_are_not_cut_off(largest):
    values = np.array([[0, largest], [largest, 0]])
    assert Targets(values, "joint", 2).outputs[0].tolist() == values.tolist()


def test_heavy_rows_do_not_overflow_the_sums():
    # 900 million times a position of 200 is beyond 32 bits
    k = 200
    Y = np.stack([np.arange(1.0, k + 1), np.arange(k, 0.0, -1)])
    model = TreeRanker().fit(np.array([[0.0], [1.0]]), Y, sample_weight=[450_000_000, 450_000_000])
    np.testing.assert_array_equal(model.predict_positions(np.array([[0.0], [1.0]])), Y)


@pytest.mark.parametrize("fractions", [None, np.array([0.5, 1.5, 2.0])])
@pytest.mark.parametrize("decomposition", ["labelwise", "joint", "pairwise", "joint_pairwise"])
def test_statistics_have_one_layout_so_that_kernels_compile_once(decomposition, fractions):
    ranks = np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1]])
    for given in (ranks, np.asfortranarray(ranks)):
        targets = targets_of(given, decomposition)
        weights = row_weights(np.ones(3, dtype=np.int64), fractions, targets.largest)
        made = statistics(targets, slice(0, 1), weights)
        assert made.stats.flags.c_contiguous
        assert made.stats.dtype == np.int32


def test_weights_are_whole_units_that_fit_32_bits():
    counts = np.array([1, 2, 0, 3])
    for fractions, largest in (
        (np.array([0.25, 1.5, 1.0, 1.0]), 5),
        (np.array([1e-9, 1.0, 1.0, 1e-12]), 5),
        (np.array([1.0, 1.0, 1.0, 1.0]), 200),
    ):
        weights = row_weights(counts, fractions, largest)
        assert weights.units[2] == 0
        assert (weights.units[[0, 1, 3]] >= 1).all()
        assert int(weights.units.sum()) * largest < 2**31
        exact = counts * fractions
        assert np.abs(weights.units * weights.unit - exact).max() <= weights.unit
    quarters = row_weights(counts, np.array([0.25, 1.5, 1.0, 1.0]), 5)
    np.testing.assert_array_equal(quarters.units * quarters.unit, [0.25, 3.0, 0.0, 3.0])


def test_counts_are_weights_unless_there_are_fractions():
    weights = row_weights(np.array([1, 2, 0, 3]), None, 9)
    assert weights.units is weights.counts
    assert weights.unit == 1.0


def test_what_predictions_need_is_kept_without_rows():
    ranks = np.array([[1.0, 2.5, 2.5], [3.0, 1.0, 2.0]])
    targets = position_targets(ranks, "joint")
    bare = targets.without_rows()
    assert (bare.scale, bare.lowest, bare.n_labels) == (targets.scale, targets.lowest, 3)
    assert bare.values.base is None
    assert bare.values.shape == (0, 3)


@pytest.mark.parametrize("X", [[[0.0, 1.0], [1.0, 1.0]], [[0.5, 2.0], [1.0, 3.0], [2.0, 4.0]]])
def test_features_without_rows_keep_their_values(X):
    features = code_features(np.array(X))
    bare = features.without_rows()
    assert (bare.n_samples, bare.n_features) == (0, 2)
    if isinstance(features, BooleanFeatures):
        np.testing.assert_array_equal(bare.thresholds, features.thresholds)
    else:
        np.testing.assert_array_equal(bare.ends, features.ends)


def test_a_limit_is_what_kernels_can_count_to():
    assert limit(3) == 3
    assert limit(None) == limit(2**70) == UNLIMITED


@pytest.mark.parametrize("largest", range(1, 17))
def test_sums_of_packed_rows_fill_16_bits_and_never_more(largest):
    targets = Targets(np.full((3, 1), largest), "labelwise", 2)
    one = slice(0, 1)
    most = statistics(targets, one, row_weights(np.ones(3), None, largest)).most_weight
    bits = most.bit_length()
    assert most == (1 << bits) - 1
    assert most * largest < 1 << (16 - bits)
    # one more bit for the count leaves one less for the sum
    assert (2 * most + 1) * largest >= 1 << (15 - bits)
    counts = np.array([most, most // 2, 1])
    s = statistics(targets, one, row_weights(counts, None, largest)).of_one()
    np.testing.assert_array_equal(s.packed[0] & most, counts)
    np.testing.assert_array_equal(s.packed[0] >> bits, counts * largest)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_tie_is_before_and_behind_in_the_two_comparisons_of_a_pair(missing):
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 4, (20, 4)).astype(float)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    targets = tied_targets(ranks, "joint_pairwise")
    expected = [naive_ties.tied_outcomes(row) for row in ranks]
    assert (targets.values + targets.lowest).tolist() == expected
    assert targets.has_gaps == bool(missing)


@hypothesis.given(st.integers(1, 40), st.integers(1, 4), st.floats(-9, 9), st.integers(0, 99))
def test_units_of_comparisons_keep_proportions_and_their_sums_fit_32_bits(n, outputs, power, seed):
    rng = np.random.default_rng(seed)
    own = 10**power * rng.random((n, outputs)) * (rng.random((n, outputs)) < 0.8)
    rows = (
        row_weights(rng.integers(0, 3, n), None, 1) if n > 2 else row_weights(np.ones(n), None, 1)
    )
    units = comparison_units(rows, own, largest=1)
    amounts = rows.units[:, None] * own
    assert ((units > 0) == (amounts > 0)).all()
    assert 2 * units.sum(axis=0, dtype=np.int64).max() <= np.iinfo(np.int32).max
    if amounts.any():
        shares = units / max(1, units.sum()), amounts / amounts.sum()
        np.testing.assert_allclose(*shares, atol=1e-5)
