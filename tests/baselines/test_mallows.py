"""The Mallows fit against enumeration: spread, completions, centres, probabilities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import naive
from baselines.mallows import fit_mallows
from baselines.strategies import rankings
from rankwise.baselines._mallows import (
    fit_mallows_groups,
    mallows_probabilities,
    observed_places,
)
from rankwise.baselines._mallows_kernels import complete, spread_of_distances
from rankwise.oracles import Mallows


@given(rankings(missing=True), st.integers(0, 10**6))
def test_no_completion_is_nearer_to_the_centre(Y, seed):
    k = Y.shape[1]
    center = np.random.default_rng(seed).permutation(k) + 1
    for row in Y:
        found = np.zeros(k, dtype=np.int64)
        distance = complete(
            observed_places(row[None])[0],
            center,
            found,
            np.empty(k, np.int64),
            np.empty(k, np.int64),
        )
        assert tuple(found) in set(naive.completions(row))
        assert distance == naive.kendall(found, center)
        assert distance == min(naive.kendall(c, center) for c in naive.completions(row))


@given(rankings())
def test_the_centre_of_complete_rankings_is_bordas_and_theta_the_likeliest(Y):
    center, theta = fit_mallows(Y)
    assert list(center) == naive.borda_of_comparisons(Y, np.ones(len(Y)))
    mean = np.mean([naive.kendall(row, center) for row in Y])
    k = Y.shape[1]
    expected = 0.0 if mean >= k * (k - 1) / 4 else naive.mallows_theta(mean, k)
    assert theta == pytest.approx(expected, abs=1e-6)


@given(rankings(missing=True))
def test_the_distance_is_that_of_the_nearest_completions_and_no_worse_than_at_the_start(Y):
    rows = np.arange(len(Y))
    fit = fit_mallows_groups(observed_places(Y), rows, np.array([0, len(Y)]))

    def total(center):
        return sum(min(naive.kendall(c, center) for c in naive.completions(row)) for row in Y)

    k = Y.shape[1]
    start = np.zeros(k)
    for row in Y:
        seen = ~np.isnan(row)
        places = np.array([np.sum(row[seen] <= r) for r in row])
        start += np.where(seen, places * (k + 1) / (seen.sum() + 1), (k + 1) / 2)
    first = np.argsort(np.argsort(np.round(start, 9), kind="stable")) + 1
    assert fit.distances[0] * len(Y) == pytest.approx(total(fit.centers[0]))
    assert total(fit.centers[0]) <= total(first)


@given(rankings(missing=True), st.integers(0, 10**6))
def test_renaming_labels_renames_the_centre(Y, seed):
    rng = np.random.default_rng(seed)
    names = rng.permutation(Y.shape[1])
    # a ranking of all labels and weights that have no sums in common leave no ties between labels
    rows = np.vstack([Y, rng.permutation(Y.shape[1]) + 1.0])
    weights = rng.random(len(rows))
    (center, theta), (renamed, same) = (
        fit_mallows(rows, weights),
        fit_mallows(rows[:, names], weights),
    )
    assert list(renamed) == list(center[names])
    assert same == pytest.approx(theta)


@given(rankings(missing=True))
def test_a_whole_weight_is_so_many_equal_rows(Y):
    counts = np.arange(len(Y)) % 3
    counts[0] = 2
    once, again = fit_mallows(Y, counts.astype(float)), fit_mallows(np.repeat(Y, counts, axis=0))
    assert list(once[0]) == list(again[0])
    assert once[1] == pytest.approx(again[1])


def test_groups_are_fitted_apart_and_may_share_rows():
    Y = np.array([[1.0, 2, 3], [3, 2, 1], [3, 1, 2]])
    fit = fit_mallows_groups(observed_places(Y), np.array([0, 1, 2, 1]), np.array([0, 1, 3, 4]))
    assert fit.centers.tolist() == [[1, 2, 3], [3, 1, 2], [3, 2, 1]]
    assert fit.thetas[0] == fit.thetas[2] == np.inf
    assert fit.distances.tolist() == [0.0, 0.5, 0.0]


def spread(distance, k):
    theta = np.empty(1)
    spread_of_distances(np.array([distance]), k, theta)
    return theta[0]


@pytest.mark.parametrize("distance", [1e-300, 1e-12, 1e-3, 0.1, 0.3, 0.49, 0.499999])
def test_theta_of_two_labels_has_a_formula(distance):
    expected = math.log(1 - distance) - math.log(distance)
    assert spread(distance, 2) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k", [3, 20, 150])
@pytest.mark.parametrize("theta", [0.01, 0.2, 0.999, 1.0, 3.0, 30.0, 400.0])
def test_theta_is_found_from_the_distance_that_it_makes_expected(k, theta):
    terms = [
        [1 / math.expm1(theta), -i / math.expm1(i * theta)]
        for i in range(1, k + 1)
        if i * theta < 700
    ]
    expected = math.fsum(t for pair in terms for t in pair)
    expected += (k - len(terms)) / math.expm1(theta)
    assert spread(expected, k) == pytest.approx(theta, rel=1e-8)


@pytest.mark.parametrize("theta", [0.0, 1e-7, 0.3, 2.0, np.inf])
def test_probabilities_are_those_of_the_model(theta):
    center = np.array([2, 4, 1, 3])
    found = mallows_probabilities(center[None], np.array([theta]))[0]
    if np.isinf(theta):
        expected = np.where(center[:, None] < center, 1.0, 0.0) + np.eye(4) / 2
    else:
        expected = Mallows(theta).pairwise(-center[None].astype(float))[0]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    for i, j in itertools.combinations(range(4), 2):
        assert found[i, j] + found[j, i] == pytest.approx(1.0)
