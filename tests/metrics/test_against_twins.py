"""Every metric agrees with its plain twin, row by row, on gaps and ties."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics import naive
from rankwise import metrics

seeds = st.integers(0, 2**32 - 1)
BY_ROW = [
    "kendall_tau",
    "kendall_distance",
    "compatible_match",
    "exact_match",
    "tau_x",
    "tau_b",
    "spearman_distance",
    "footrule_distance",
    "spearman_rho",
    "reciprocal_rank",
]


def rows(twin, true, pred):
    return np.array([twin(t, p) for t, p in zip(true, pred, strict=True)])


@pytest.mark.parametrize("name", BY_ROW)
@given(seed=seeds, n_labels=st.integers(2, 12))
def test_metric_equals_its_twin_with_gaps_and_ties(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    ours = getattr(metrics, name)(true, pred, average=False)
    np.testing.assert_allclose(ours, rows(getattr(naive, name), true, pred), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", BY_ROW)
@pytest.mark.parametrize("n_labels", [2, 3, 17, 64, 200])
def test_metric_equals_its_twin_from_2_to_200_labels(draw_pair, name, n_labels):
    true, pred = draw_pair(n_labels, n_labels, n_rows=3)
    ours = getattr(metrics, name)(true, pred, average=False)
    np.testing.assert_allclose(ours, rows(getattr(naive, name), true, pred), rtol=0, atol=1e-12)


@given(seed=seeds, n_labels=st.integers(2, 8), data=st.data())
def test_top_k_accuracy_equals_its_twin(draw_pair, seed, n_labels, data):
    k = data.draw(st.integers(1, n_labels))
    true, pred = draw_pair(seed, n_labels)
    ours = metrics.top_k_accuracy(true, pred, k=k, average=False)
    np.testing.assert_array_equal(
        ours, rows(functools.partial(naive.top_k_accuracy, k=k), true, pred)
    )


@given(seed=seeds, n_labels=st.integers(2, 5), top=st.integers(1, 6))
def test_regret_is_the_mean_over_all_ways_to_break_predicted_ties(draw_pair, seed, n_labels, top):
    values, pred = draw_pair(seed, n_labels)
    ours = metrics.regret(values, pred, top=top, average=False)
    twin = rows(functools.partial(naive.regret, top=top), values, pred)
    np.testing.assert_allclose(ours, twin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_rows", [1, 127, 128, 129, 300])
def test_rows_beyond_one_block_are_measured_alike(draw_pair, n_rows):
    true, pred = draw_pair(3, 4, n_rows=n_rows)
    for name in BY_ROW:
        ours = getattr(metrics, name)(true, pred, average=False)
        twin = rows(getattr(naive, name), true, pred)
        np.testing.assert_allclose(ours, twin, rtol=0, atol=1e-12, err_msg=name)


@given(seed=seeds, n_labels=st.integers(2, 30))
def test_tau_and_rho_are_those_of_scipy_on_complete_rankings(draw_pair, seed, n_labels):
    true, pred = draw_pair(seed, n_labels, complete=True, n_rows=5)
    tau = rows(lambda t, p: stats.kendalltau(t, p).statistic, true, pred)
    rho = rows(lambda t, p: stats.spearmanr(t, p).statistic, true, pred)
    np.testing.assert_allclose(metrics.kendall_tau(true, pred, average=False), tau, atol=1e-12)
    np.testing.assert_allclose(metrics.spearman_rho(true, pred, average=False), rho, atol=1e-12)


@given(seed=seeds, n_labels=st.integers(2, 12))
def test_tau_on_orders_is_scipys_tau_of_the_label_sequences(draw_pair, seed, n_labels):
    true, pred = draw_pair(seed, n_labels, complete=True, n_rows=5)
    twin = rows(lambda t, p: stats.kendalltau(np.argsort(t), np.argsort(p)).statistic, true, pred)
    ours = metrics.kendall_tau(true, pred, on="orders", average=False)
    np.testing.assert_allclose(ours, twin, atol=1e-12)


@given(seed=seeds, n_labels=st.integers(2, 8))
def test_noise_is_measured_on_labels_observed_on_both_sides(draw_pair, seed, n_labels):
    clean, observed = draw_pair(seed, n_labels)
    observed[np.random.default_rng(seed).random(observed.shape) < 0.3] = np.nan
    both = np.where(np.isnan(observed), np.nan, clean)
    alpha = metrics.inconsistency(clean, observed, average=False)
    beta = metrics.tau_gap(clean, observed, average=False)
    np.testing.assert_array_equal(alpha, 1 - rows(naive.compatible_match, both, observed))
    np.testing.assert_allclose(beta, rows(naive.kendall_tau, both, observed), atol=1e-12)


def test_a_thousand_labels_are_measured_exactly():
    true = np.arange(1, 1001.0)[None, :]
    pred = true[:, ::-1]
    assert metrics.kendall_distance(true, pred) == 1000 * 999 / 2
    assert metrics.spearman_distance(true, pred) == 1000 * (1000**2 - 1) / 3
    assert metrics.footrule_distance(true, pred) == 1000**2 / 2
    assert metrics.spearman_rho(true, pred) == -1.0
    assert metrics.reciprocal_rank(true, pred) == 1 / 1000
