"""What rows left out tell, against plain twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.datasets import Dataset
from rankwise.metrics import kendall_tau
from rankwise.ranker import fit_certainty
from rankwise.rankings import ranks_from_scores
from rankwise.report import HeldOutRows
from rankwise.report._held_out import N_BINS, Rate
from report.naive import chances_and_outcomes, pairs_right


@st.composite
def held_rows(draw):
    """Rows of any kind: incomplete, tied, few or many."""
    n, k = draw(st.integers(1, 60)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    Y = ranks_from_scores(rng.integers(0, draw(st.integers(1, 9)) + 1, (n, k)).astype(float))
    Y[rng.random((n, k)) < draw(st.sampled_from([0.0, 0.4]))] = np.nan
    ranks = ranks_from_scores(rng.random((n, k))).astype(int)
    above = np.triu(rng.random((n, k, k)), 1)
    shares = above + np.tril(1 - np.swapaxes(above, 1, 2), -1) + 0.5 * np.eye(k)
    floor = ranks_from_scores(rng.random((1, k))).repeat(n, axis=0)
    return HeldOutRows(Dataset(np.zeros((n, 1)), Y), ranks, shares, floor)


@given(held_rows())
def test_pairs_and_reliability_are_those_of_plain_counting(held):
    names = held.data.label_names
    found = {(pair.a, pair.b): (pair.right.n, pair.right.true) for pair in held.pairs()}
    plain = pairs_right(held.data.ranks, held.ranks)
    assert found == {(names[i], names[j]): count for (i, j), count in plain.items()}
    outcomes = chances_and_outcomes(held.data.ranks, held.chances)
    bins = held.reliability()
    groups = {}
    for chance, true in outcomes:
        groups.setdefault(min(int(2 * N_BINS * (chance - 0.5)), N_BINS - 1), []).append(
            (chance, true)
        )
    assert len(bins) == len(groups)
    for one, (_, group) in zip(bins, sorted(groups.items()), strict=True):
        assert one.chance == pytest.approx(np.mean([chance for chance, _ in group]))
        assert one.came_true == Rate(len(group), sum(true for _, true in group))


@given(held_rows())
def test_chances_stay_chances_and_mirror_each_other(held):
    chances = held.chances
    assert ((chances >= 0) & (chances <= 1)).all()
    np.testing.assert_allclose(chances + np.swapaxes(chances, 1, 2), 1)


def test_no_chance_is_fitted_to_the_row_that_judges_it():
    rng = np.random.default_rng(0)
    n, k = 80, 3
    Y = ranks_from_scores(rng.random((n, k)))
    shares = np.full((n, k, k), 0.5)
    shares[:, 0, 1], shares[:, 1, 0] = 0.9, 0.1
    held = HeldOutRows(Dataset(np.zeros((n, 1)), Y), Y.astype(int), shares, Y)
    changed = Y.copy()
    changed[0] = 4 - changed[0]
    other = HeldOutRows(Dataset(np.zeros((n, 1)), changed), Y.astype(int), shares, Y)
    assert (held.chances[0] == other.chances[0]).all()
    both = [fit_certainty(shares, Y.astype(int), truth).slope for truth in (Y, changed)]
    assert both[0] != both[1]
    # each row is judged by what was learned of the other half
    assert (held.chances != other.chances).any(axis=(1, 2)).sum() == n // 2


def test_the_gain_is_the_mean_difference_of_tau_by_what_rows_count():
    Y = np.array([[1.0, 2, 3], [3, 2, 1], [1, 2, np.nan], [1, 1, 1]])
    ranks, floor = (
        np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3], [1, 2, 3]]),
        np.tile([1, 2, 3], (4, 1)),
    )
    held = HeldOutRows(Dataset(np.zeros((4, 1)), Y), ranks, np.full((4, 3, 3), 0.5), floor)
    gains = kendall_tau(Y, ranks, average=False)[:3] - kendall_tau(Y, floor, average=False)[:3]
    assert held.gain()[0] == pytest.approx(gains.mean())
    counted = HeldOutRows(held.data, ranks, held.shares, floor, np.array([3.0, 3, 1, 0]))
    mean, low, high = counted.gain()
    assert mean == pytest.approx(np.average(gains, weights=[3, 3, 1]))
    assert low < mean < high


@given(st.integers(0, 50), st.integers(0, 50))
def test_intervals_of_shares_stay_within_0_and_1_and_hold_the_share(true, more):
    rate = Rate(true + more, true)
    if rate.n:
        low, high = rate.interval
        assert 0 <= low <= rate.share + 1e-9
        assert rate.share - 1e-9 <= high <= 1


def test_the_first_label_is_judged_among_those_observed():
    Y = np.array([[np.nan, 1.0, 2.0], [1.0, 2.0, np.nan]])
    ranks = np.array([[1, 2, 3], [3, 1, 2]])
    held = HeldOutRows(Dataset(np.zeros((2, 1)), Y), ranks, np.full((2, 3, 3), 0.5), ranks)
    assert held.first_is_best() == Rate(2, 1.0)
