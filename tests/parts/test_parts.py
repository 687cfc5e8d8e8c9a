"""Rows in parts: what is known of them, how they are coded, drawn and gathered; all beside plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts import naive
from rankwise.engine import Bags, code_features
from rankwise.forest import ForestRanker
from rankwise.parts import array_parts
from rankwise.parts.steps import (
    Draws,
    Place,
    Question,
    Samples,
    Summary,
    bin_sample,
    by_part,
    coding_of,
    gather,
    joined,
    look_at,
    memory_bytes,
    merged,
    positions_of,
    ranks_of,
)
from rankwise.rankings import RankingWarning

HERE = Place("y", 0)


def problem(seed, n=40, values=5, missing=0.2, k=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, 3)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    ranks = rng.integers(1, k + 1, (n, k)).astype(float)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    return X, ranks


def known_of(X, ranks, rows_per_part, most=100, sample=()):
    parts = array_parts(X, ranks, rows_per_part=rows_per_part)
    rows = by_part(parts.starts, np.asarray(sample, dtype=np.int64))
    found = [
        look_at(part, Question(X.shape[1], ranks.shape[1], most, None, None), own)[0]
        for part, own in zip(parts.parts, rows, strict=True)
    ]
    return merged(found, Summary.empty(X.shape[1], ranks.shape[1], most))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 50))
def test_what_is_known_of_parts_is_what_is_known_of_all_rows(seed, rows_per_part):
    X, ranks = problem(seed)
    values, missing, together, ordered = naive.summary(X, ranks)
    found = known_of(X, ranks, rows_per_part)
    assert [list(own.values) for own in found.features] == values
    assert [own.missing for own in found.features] == missing
    assert (found.together == together).all()
    assert (found.ordered == ordered).all()
    assert (found.n_rows, found.complete) == (40, not np.isnan(ranks).any())


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float32])
def test_values_of_bytes_are_those_of_numbers(kind):
    X = np.random.default_rng(0).integers(0, 256, (300, 2)).astype(kind)
    found = known_of(X, np.tile([1.0, 2.0], (300, 1)), 70, most=256)
    assert [list(own.values) for own in found.features] == [sorted({*col}) for col in X.T.tolist()]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 50))
def test_bins_depend_on_the_rows_of_the_sample_and_not_on_the_parts(seed, rows_per_part):
    X, ranks = problem(seed, n=200, values=100)
    rows = bin_sample(array_parts(X, ranks), seed, 150)
    one, other = (
        coding_of(known_of(X, ranks, size, most=20, sample=rows), 4, 16)
        for size in (rows_per_part, 200)
    )
    for side, same in ((one.lowest, other.lowest), (one.highest, other.highest)):
        for a, b in zip(side, same, strict=True):
            np.testing.assert_array_equal(a, b)
    codes = one.codes(X)
    for j, (low, high) in enumerate(zip(one.lowest, one.highest, strict=True)):
        known = ~np.isnan(X[:, j])
        assert (codes[~known, j] == len(low)).all()
        # a value lies in its bin, and on the side of a cut that its code is on
        assert (X[known, j] >= low[codes[known, j]]).all()
        assert (X[known, j] <= high[codes[known, j]]).all()
        assert 2 <= len(low) <= 4


def test_two_bins_of_many_values_are_no_yes_or_no():
    X, ranks = problem(0, n=200, values=100, missing=0)
    X[:20, 0], X[:20, 1], X[:20, 2] = 3, np.arange(20) % 2, 5
    found = coding_of(known_of(X, ranks, 50, most=20, sample=np.arange(20)), 4, 16)
    assert max(map(len, found.lowest)) <= 2
    assert not found.is_boolean


def test_codes_of_all_rows_are_those_of_a_forest_in_memory():
    X, ranks = problem(0, n=300, values=200)
    found = coding_of(known_of(X, ranks, 70, most=30, sample=np.arange(300)), 8, 32)
    expected = code_features(X, max_bins=8)
    assert found.exact
    np.testing.assert_array_equal(found.codes(X), expected.codes)
    for a, b in zip(found.highest, expected.highest, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_bin_of_a_sample_holds_about_its_share_of_the_rows():
    rng = np.random.default_rng(0)
    X, ranks = rng.normal(size=(50_000, 1)), np.tile([1.0, 2.0], (50_000, 1))
    rows = bin_sample(array_parts(X, ranks), 7, 8192)
    coding = coding_of(known_of(X, ranks, 9000, sample=rows), 16, 64)
    shares = np.bincount(coding.codes(X)[:, 0]) / len(X)
    assert len(shares) == 16
    assert not coding.exact
    np.testing.assert_allclose(shares, 1 / 16, atol=4 * np.sqrt(1 / 16 / 8192))


@given(st.integers(0, 1000))
def test_positions_are_those_of_their_twin_whatever_the_ranks_look_like(seed):
    _, ranks = problem(seed)
    np.testing.assert_array_equal(positions_of(ranks, None, HERE), naive.positions(ranks))
    whole = np.argsort(np.random.default_rng(seed).random((9, 5)), axis=1) + 1
    assert (positions_of(whole, None, HERE) == naive.positions(whole.astype(float))).all()
    np.testing.assert_array_equal(ranks_of(positions_of(whole, None, HERE)), whole)


@given(st.integers(0, 1000), st.booleans(), st.sampled_from(["once", "whole", "zero"]))
def test_rows_of_a_sample_are_those_of_the_bag(seed, replace, weights):
    counts = {
        "once": np.ones(50, np.int32),
        "whole": np.arange(50, dtype=np.int32) % 4 + 1,
        "zero": np.arange(50, dtype=np.int32) % 2,
    }[weights]
    for size in (1, 20, int(counts.sum())):
        bags = Bags(counts, size, replace)
        rows, times = bags.draw_rows(np.random.SeedSequence(seed))
        expected = naive.sample(bags.draw(np.random.SeedSequence(seed)).bag)
        assert (rows.tolist(), times.tolist()) == expected


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 50))
def test_gathered_rows_are_the_drawn_ones_in_order(seed, rows_per_part):
    X, ranks = problem(seed)
    parts = array_parts(X, ranks, rows_per_part=rows_per_part)
    coding = coding_of(known_of(X, ranks, 40), None, None)
    draws = Draws(seed, Bags(np.ones(40, np.int32), 25, True))
    held = np.array([0, 3, 39])
    wanted, left_out = Samples(draws, 3, held, 1).draw(parts.starts, range(3))
    asked = Question(3, 4, 100, None, None)
    found = [gather(p, asked, own, coding) for p, own in zip(parts.parts, wanted, strict=True)]
    for tree in range(3):
        rows, times = draws.rows(tree)
        piece = joined([own.trees[tree] for own in found])
        np.testing.assert_array_equal(piece.codes, coding.codes(X[rows]))
        np.testing.assert_array_equal(piece.positions, naive.positions(ranks[rows]))
        np.testing.assert_array_equal(piece.times, times)
        np.testing.assert_array_equal(left_out[tree], ~np.isin(held, rows))
    np.testing.assert_array_equal(np.concatenate([own.held.X for own in found]), X[held])


def test_a_bad_cell_is_named_with_its_row(tmp_path):
    X, ranks = problem(0, missing=0)
    ranks[31, 2] = 0
    with pytest.raises(ValueError, match=r"y, row 31: label 2 has rank 0; ranks start at 1"):
        known_of(X, ranks, 7)
    X[17, 1], ranks[31, 2] = np.inf, 1
    with pytest.raises(ValueError, match=r"X, row 17: feature 1 is infinite"):
        known_of(X, ranks, 7)
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(ValueError, match=r"X \(.*X\.npy\), row 17: feature 1 is infinite"):
        known_of(np.load(tmp_path / "X.npy", mmap_mode="r"), ranks, 7)


def test_sizes_of_memory_are_read_with_their_units():
    assert memory_bytes("2 GB") == memory_bytes("2GiB") == 2 << 30
    assert memory_bytes("1.5M") == 3 << 19
    with pytest.raises(ValueError, match="give a number with a unit"):
        memory_bytes("much")


def test_rows_that_teach_nothing_are_counted_over_all_parts():
    X, y = np.arange(60).reshape(-1, 1) % 7, np.tile([1.0, 2.0, 3.0], (60, 1))
    y[::5, 1:] = np.nan
    with pytest.warns(RankingWarning, match="y: 12 of 60 rows rank fewer than two labels") as said:
        ForestRanker(2, random_state=0).fit_parts(array_parts(X, y, rows_per_part=13))
    assert [each.filename for each in said] == [__file__]
