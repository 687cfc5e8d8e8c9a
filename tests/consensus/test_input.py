import numpy as np
import pytest

from rankwise.consensus import (
    borda,
    borda_batch,
    copeland,
    copeland_batch,
    kemeny,
    kemeny_batch,
    pairwise_matrix,
)

RULES = [pairwise_matrix, borda, copeland, kemeny]
BATCHES = [borda_batch, copeland_batch, kemeny_batch]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], r"shape \(1,\) but there are 2 rows; give a flat list of one number per row"),
        ([[1, 1]], "one number per row"),
        ([1, -2], "row 1: sample_weight is -2"),
        ([np.nan, 1], "row 0: sample_weight is nan"),
        ([1, np.inf], "row 1: sample_weight is inf"),
        ([0, 0], "zero in every row; give some row a weight above 0"),
        ([1, "a"], "number per row"),
        ([1, 1j], "real numbers; give one number per row"),
        ([1, [2]], "sample_weight: .*; give one number per row"),
    ],
)
def test_a_bad_weight_is_named(rule, weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rule([[1, 2], [2, 1]], sample_weight=weights)


@pytest.mark.parametrize("rule", RULES)
def test_bad_ranks_are_named(rule):
    with pytest.raises(ValueError, match="row 1: label 0 has rank 0; ranks start at 1"):
        rule([[1, 2], [0, 1]])


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize(
    ("W", "message"),
    [
        (np.ones((3, 3)), r"a batch of one problem is W\[None\]"),
        (np.ones((2, 3, 4)), r"shape \(2, 3, 4\)"),
        (np.ones(3), "give .n_problems, n_labels, n_labels"),
        (np.ones((2, 1, 1)), "at least two"),
        ([[[0, 1], [-1, 0]]], "problem 0: label 1 before label 0 has support -1"),
        ([[[0, np.inf], [1, 0]]], "problem 0: label 0 before label 1 has support inf; rescale W"),
        ([[[0, np.nan], [1, 0]]], "problem 0: label 0 before label 1 is missing, but 1 before 0"),
        ([[["a", "b"], ["c", "d"]]], "real numbers"),
        (np.ones((1, 2, 2), dtype=complex), "real numbers"),
        ([[[0, 1], [1]]], "W is not a table of numbers"),
    ],
)
def test_a_bad_support_is_named(batch, W, message):
    with pytest.raises((ValueError, TypeError), match=message):
        batch(W)


@pytest.mark.parametrize("batch", BATCHES)
def test_an_empty_batch_gives_no_ranks_and_the_diagonal_is_not_read(batch):
    assert batch(np.empty((0, 3, 3))).shape == (0, 3)
    assert batch([[[np.nan, 2], [1, -5]]]).tolist() == [[1, 2]]


@pytest.mark.parametrize("batch", BATCHES)
def test_read_only_whole_and_column_major_supports_are_taken(batch):
    W = np.asfortranarray(np.random.default_rng(0).integers(0, 9, size=(4, 3, 3)))
    expected = batch(W.astype(float).copy(order="C"))
    W.flags.writeable = False
    assert np.array_equal(batch(W), expected)


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_time_limit_that_is_no_time_is_refused(limit):
    with pytest.raises(ValueError, match="seconds above 0"):
        kemeny([[1, 2]], time_limit=limit)


def test_other_options_are_checked():
    with pytest.raises(ValueError, match="method is 'fast'; use 'auto', 'exact' or 'local'"):
        kemeny([[1, 2]], method="fast")
    with pytest.raises(TypeError, match="time_limit is '1'"):
        kemeny_batch(np.ones((1, 2, 2)), time_limit="1")
