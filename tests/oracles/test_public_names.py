"""The package's public surface."""

import copy
import pickle

import numpy as np
import pytest

from rankwise import oracles

PARTS = [
    oracles.BooleanFeatures(3, [0.1, 0.5, 0.9]),
    oracles.CorrelatedBooleanFeatures(3, 0.5),
    oracles.GaussianFeatures(3, covariance=np.eye(3)),
    oracles.GivenFeatures(np.eye(3)),
    oracles.UniformFeatures(3),
    oracles.SparseLinear(3, 3, 2),
    oracles.Mallows(1.0),
    oracles.PlackettLuce(0.1),
    oracles.TruncatedGaussian(0.1),
    oracles.UniformNoise(),
    oracles.Survival([0.5, 0.5, 0.5]),
    oracles.RandomSubset(2),
    oracles.MissingByRank([1, 1, 0]),
    oracles.Partition(0.5),
    oracles.TopK(2),
    oracles.Oracle(oracles.SparseLinear(3, 3, 2), noise=oracles.Mallows(1.0)),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_every_part_pickles_copies_and_says_what_it_is(part):
    text = repr(part)
    assert text.startswith(type(part).__name__)
    assert repr(pickle.loads(pickle.dumps(part))) == text
    assert repr(copy.deepcopy(part)) == text


def test_a_pickled_oracle_draws_the_same():
    oracle = PARTS[-1]
    for one, other in zip(
        oracle.sample(20, random_state=0),
        pickle.loads(pickle.dumps(oracle)).sample(20, random_state=0),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
