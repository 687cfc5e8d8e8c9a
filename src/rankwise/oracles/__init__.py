"""Where made-up data comes from: the paper's example oracles.

An `Oracle` is built of small parts: features (D_x), scores (m), noise (E) and a mechanism (M).
"""

from rankwise.oracles._bounded import TruncatedGaussian, UniformNoise
from rankwise.oracles._families import family_grid, family_oracle, make_family
from rankwise.oracles._features import (
    BooleanFeatures,
    CorrelatedBooleanFeatures,
    Features,
    GaussianFeatures,
    GivenFeatures,
    UniformFeatures,
)
from rankwise.oracles._mallows import Mallows
from rankwise.oracles._matching import match_gaussian
from rankwise.oracles._noise import AdditiveNoise, CallableNoise, Noise
from rankwise.oracles._oracle import Oracle
from rankwise.oracles._partial import Partition, TopK
from rankwise.oracles._plackett_luce import PlackettLuce
from rankwise.oracles._scores import SparseLinear
from rankwise.oracles._survival import Mechanism, MissingByRank, RandomSubset, Survival

__all__ = [
    "AdditiveNoise",
    "BooleanFeatures",
    "CallableNoise",
    "CorrelatedBooleanFeatures",
    "Features",
    "GaussianFeatures",
    "GivenFeatures",
    "Mallows",
    "Mechanism",
    "MissingByRank",
    "Noise",
    "Oracle",
    "Partition",
    "PlackettLuce",
    "RandomSubset",
    "SparseLinear",
    "Survival",
    "TopK",
    "TruncatedGaussian",
    "UniformFeatures",
    "UniformNoise",
    "family_grid",
    "family_oracle",
    "make_family",
    "match_gaussian",
]
