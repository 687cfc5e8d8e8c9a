"""Nemenyi's test as a diagram."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plots.seen import misplaced
from rankwise.plots import critical_difference
from rankwise.plots._critical_difference import groups
from rankwise.validation import nemenyi

# Table 5a of Demšar (2006): critical values of the two-tailed Nemenyi test.
Q_05 = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
Q_10 = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855, 10: 2.920}


@pytest.mark.parametrize(("alpha", "table"), [(0.05, Q_05), (0.1, Q_10)])
def test_the_critical_difference_is_that_of_the_published_table(alpha, table):
    for k, q in table.items():
        expected = q * np.sqrt(k * (k + 1) / (6 * 14))
        assert nemenyi(k, 14, alpha) == pytest.approx(expected, rel=5e-4)


@given(st.lists(st.integers(8, 48), min_size=2, max_size=9), st.integers(1, 30))
def test_bars_join_exactly_the_methods_that_do_not_differ(eighths, difference):
    ranks, cd = np.sort(np.array(eighths) / 8), difference / 8
    bars = groups(ranks, cd)
    joined = {p for a, b in bars for p in itertools.combinations(range(a, b + 1), 2)}
    pairs = itertools.combinations(range(len(ranks)), 2)
    assert joined == {(i, j) for i, j in pairs if ranks[j] - ranks[i] < cd}
    assert not any(a >= c and b <= d for (a, b), (c, d) in itertools.permutations(bars, 2))


def test_names_bars_and_the_length_of_cd_are_drawn():
    ax = critical_difference({"floor": 3.0, "forest": 1.2, "pairs": 1.8}, n_datasets=30)
    cd = nemenyi(3, 30, 0.05)
    texts = [text.get_text() for text in ax.texts]
    assert {"forest (1.20)", "pairs (1.80)", "floor (3.00)", f"CD = {cd:.2f}, level 0.05"} <= set(
        texts
    )
    bars = [line for line in ax.lines if line.get_gid() == "group"]
    assert [sorted(bar.get_xdata()) for bar in bars] == [pytest.approx([1.17, 1.83])]
    (length,) = (line for line in ax.lines if line.get_gid() == "cd")
    assert np.ptp(length.get_xdata()) == pytest.approx(cd)


def test_the_best_method_is_on_the_right():
    ax = critical_difference({"forest": 1.2, "floor": 1.8}, n_datasets=5)
    best, worst = (
        next(t for t in ax.texts if name in t.get_text()) for name in ("forest", "floor")
    )
    ax.figure.draw_without_rendering()
    assert best.get_window_extent().x0 > worst.get_window_extent().x1


def test_a_difference_longer_than_the_axis_says_so():
    ax = critical_difference({"forest": 1.2, "floor": 1.8}, n_datasets=1)
    assert any("longer than the axis" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("k", [2, 3, 12, 40])
def test_no_name_overlaps_or_is_cut_off(k):
    ranks = np.linspace(1.3, k - 0.2, k)
    ranks[k // 2 :] -= ranks.mean() - (k + 1) / 2
    named = {f"learner number {j} of a long-named study": rank for j, rank in enumerate(ranks)}
    ax = critical_difference(named, n_datasets=16)
    assert misplaced(ax) == []


@pytest.mark.parametrize(
    ("ranks", "n", "alpha", "message"),
    [
        ({"a": 1.0}, 3, 0.05, "average_ranks has 1 methods"),
        ({"a": 1.0, "b": 2.5}, 3, 0.05, "method 'b' has average rank 2.5; with 2 methods"),
        ({"a": 1.0, "b": float("nan")}, 3, 0.05, "method 'b' has average rank nan"),
        ({"a": 1.0, "b": "2"}, 3, 0.05, "method 'b' has average rank '2'"),
        ({"a": 1.0, "b": 2.0}, 0, 0.05, "n_datasets must be a whole number from 1 up"),
        ({"a": 1.0, "b": 2.0}, 2.5, 0.05, "n_datasets must be a whole number from 1 up"),
        ({"a": 1.0, "b": 2.0}, 3, 0, "alpha must be between 0 and 1"),
        ({"a": 1.0, "b": 2.0}, 3, 5, "alpha must be between 0 and 1"),
    ],
)
def test_bad_comparisons_are_refused(ranks, n, alpha, message):
    with pytest.raises(ValueError, match=message):
        critical_difference(ranks, n, alpha)


def test_ranks_that_are_no_dict_are_refused():
    with pytest.raises(TypeError, match="got list"):
        critical_difference([1.0, 2.0], 3)
