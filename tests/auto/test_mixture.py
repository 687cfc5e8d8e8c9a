"""Greedy selection: its twin, and what mixtures must have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auto import naive
from rankwise.auto._mixture import (
    LIBRARY,
    ROUNDS,
    greedy_counts,
    mixture_weights,
    near_best,
)


def problem(seed, models=4, rows=12):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=rows)
    predictions = truth + rng.normal(size=(models, rows)) * rng.uniform(0.3, 2, size=(models, 1))

    def value(some, predicted):
        return -np.abs(predicted[:, 0] - truth[some])

    return truth, predictions[:, :, None], value


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_counts_are_those_of_the_plain_twin(seed, models):
    truth, predictions, value = problem(seed, models)

    def quality(mixed):
        return -naive.mean([abs(m - t) for m, t in zip(mixed, truth, strict=True)])

    counts = greedy_counts(predictions, np.arange(len(truth)), value, np.ones(len(truth)))
    assert counts.tolist() == naive.greedy(predictions[:, :, 0].tolist(), quality, ROUNDS)


@pytest.mark.parametrize("seed", range(5))
def test_a_mixture_is_no_worse_than_the_best_alone_on_its_own_rows(seed):
    truth, predictions, value = problem(seed, 5, 200)
    rows = np.arange(len(truth))
    counts = greedy_counts(predictions, rows, value, np.ones(len(truth)))
    mixed = np.tensordot(counts / counts.sum(), predictions, 1)
    alone = [value(rows, p).mean() for p in predictions]
    assert value(rows, mixed).mean() >= max(alone)


def test_weights_add_up_and_only_the_best_of_the_library_have_any():
    _, predictions, value = problem(3, LIBRARY + 4, 60)
    weights = mixture_weights(predictions, value, np.ones(60), np.random.default_rng(0))
    alone = np.array([value(np.arange(60), p).mean() for p in predictions])
    worst = np.argsort(alone)[:4]
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert not weights[worst].any()


def test_rows_of_no_share_do_not_count():
    _, predictions, value = problem(5, 3, 80)
    share = np.r_[np.ones(40), np.zeros(40)]
    spoilt = predictions.copy()
    spoilt[0, 40:] += 100
    found, other = (greedy_counts(p, np.arange(80), value, share) for p in (predictions, spoilt))
    assert found.tolist() == other.tolist()


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_those_near_the_best_are_those_of_the_plain_twin(seed, models, gaps):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(models, 9)) + rng.normal(size=(models, 1))
    share = rng.integers(0, 3, 9).astype(float)
    share[0] = 1
    if gaps:
        values[:, 1 + int(rng.integers(8))] = np.nan
    known = np.where(np.isnan(values), 0, share)
    means = np.nansum(values * known, axis=1) / known.sum(axis=1)
    assert near_best(values, means, share).tolist() == naive.near_best(values.tolist(), share)
