"""The parts of the oracles, each on a case that is known by hand."""

import numpy as np
import pytest

from rankwise.oracles import Mallows, UniformNoise
from rankwise.oracles._checks import probabilities_of_rows
from rankwise.oracles._matching import largest_inconsistency
from rankwise.oracles._positions import by_position, strict_positions
from rankwise.oracles._random import seed_sequence
from rankwise.oracles._simulate import inconsistency_per_row, pairwise_probabilities, tau_per_row

RNG = np.random.default_rng(0)


def test_pairs_of_a_noise_that_knows_them_have_no_error():
    p, error = pairwise_probabilities(UniformNoise(), np.array([[0.75, 0.5]]), 1, RNG)
    assert (p[0, 0, 1], error.max()) == (0.875, 0.0)


@pytest.mark.parametrize(("per_row", "expected"), [(inconsistency_per_row, 0.5), (tau_per_row, 0)])
def test_two_labels_under_uniform_rankings_are_a_coin(per_row, expected):
    values, exact = per_row(Mallows(0.0), np.array([[0.2, 0.9]]), RNG)
    assert values.tolist() == [expected]
    assert exact


@pytest.mark.parametrize("given", [0.5, [0.5, 0.5], lambda X: X[:, :2] / 2])
def test_probabilities_of_rows_are_given_by_number_list_or_function(given):
    assert probabilities_of_rows(given, np.ones((1, 3)), "q", 2).tolist() == [[0.5, 0.5]]


def test_positions_by_falling_score():
    scores = np.array([[0.2, 0.9, 0.5]])
    assert strict_positions(scores, needed_by="this test").tolist() == [[3, 1, 2]]


def test_values_are_looked_up_by_position_and_missing_labels_have_none():
    found = by_position(np.array([[0.1, 0.2, 0.3]]), np.array([[2.0, np.nan, 1.0]]))
    np.testing.assert_array_equal(found, [[0.2, np.nan, 0.1]])


def test_noise_within_its_bound_changes_no_ranking_of_scores_far_apart():
    assert largest_inconsistency(np.tile([0.9, 0.1], (10, 1))) == 0


def test_a_number_is_its_own_entropy():
    assert seed_sequence(7).entropy == 7
