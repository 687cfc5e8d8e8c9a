"""Greedy selection: its twin, and what mixtures must have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auto import naive
from rankwise.auto._mixture import ALIKE, FEW, LIBRARY, ROUNDS, greedy_counts, mixture_weights
from rankwise.auto._search import Problem


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


@pytest.mark.parametrize("models", [1, 2, 5, LIBRARY + 4])
def test_weights_add_up_and_only_the_best_of_the_library_have_any(models):
    _, predictions, value = problem(3, models, 60)
    alone = np.array([value(np.arange(60), p).mean() for p in predictions])
    weights = mixture_weights(alone, predictions, value, np.ones(60), np.random.default_rng(0))
    best_first = np.argsort(-alone)
    few = best_first[: min(FEW, max(1, models // 2))]
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert not weights[best_first[LIBRARY:]].any()
    assert (weights[few] >= ALIKE / len(few) - 1e-12).all()


def test_of_few_rows_all_are_in_each_sample_so_that_weights_are_those_of_the_plain_twin():
    truth, predictions, value = problem(8, 5, 20)
    alone = np.array([value(np.arange(20), p).mean() for p in predictions])

    def quality(mixed):
        return -naive.mean([abs(m - t) for m, t in zip(mixed, truth, strict=True)])

    greedy = naive.greedy(predictions[:, :, 0].tolist(), quality, ROUNDS)
    expected = naive.weights(alone.tolist(), greedy, ALIKE, FEW)
    weights = mixture_weights(alone, predictions, value, np.ones(20), np.random.default_rng(0))
    assert weights == pytest.approx(expected)


def test_rows_of_no_share_do_not_count():
    _, predictions, value = problem(5, 3, 80)
    share = np.r_[np.ones(40), np.zeros(40)]
    spoilt = predictions.copy()
    spoilt[0, 40:] += 100
    found, other = (greedy_counts(p, np.arange(80), value, share) for p in (predictions, spoilt))
    assert found.tolist() == other.tolist()


@given(st.integers(0, 10_000))
def test_closeness_is_the_mean_square_of_the_pairs_that_a_row_compares(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 4, (6, 4)).astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    shares = rng.random((6, 6))  # of the six pairs
    asked = Problem(np.zeros((6, 1)), ranks, None, None, "kendall_tau", tied=False)
    rows = np.flatnonzero(rng.random(6) < 0.7)
    found = asked.closeness(np.arange(6))(rows, shares[rows])
    expected = [naive.closeness(ranks[r].tolist(), shares[r].tolist()) for r in rows]
    assert found == pytest.approx(np.array(expected, dtype=float), nan_ok=True)
