"""The made-up problem of the demo: where to go today, given the day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankwise.datasets import Dataset
    from rankwise.oracles import Oracle

FEATURES = ("sunny", "warm", "windy", "weekend", "evening", "children", "car", "tired")
# What a feature adds to the wish for each outing; high = preferred, as in the paper's m(x).
WISHES = {
    "beach": {"sunny": 0.10, "warm": 0.12, "windy": -0.06, "evening": -0.05},
    "hike": {"sunny": 0.08, "weekend": 0.07, "tired": -0.12, "children": -0.03},
    "museum": {"sunny": -0.08, "children": 0.05, "evening": -0.10},
    "cinema": {"evening": 0.08, "sunny": -0.06, "tired": 0.08},
    "concert": {"evening": 0.13, "children": -0.10, "weekend": 0.03},
    "market": {"weekend": 0.08, "car": 0.05, "evening": -0.10},
}
LABELS = tuple(WISHES)
_WEIGHTS = np.array([[wish.get(name, 0.0) for name in FEATURES] for wish in WISHES.values()])


def wishes(X: np.ndarray) -> np.ndarray:
    """Return the score of every outing, (n_samples, n_labels).

    Examples
    --------
    >>> wishes(np.zeros((1, len(FEATURES)))).round(2)
    array([[0.5, 0.5, 0.5, 0.5, 0.5, 0.5]])
    """
    return 0.5 + X @ _WEIGHTS.T


def outings_oracle() -> Oracle:
    """Return the oracle: people differ in mood, and each ranks some outings only."""
    # Imported here, so that help needs no oracles.
    from rankwise.oracles import BooleanFeatures, Oracle, Survival, TruncatedGaussian

    return Oracle(
        wishes,
        features=BooleanFeatures(len(FEATURES)),
        noise=TruncatedGaussian(0.08),
        mechanism=Survival(0.6),
    )


def draw_outings(n_rows: int, seed: int) -> Dataset:
    """Draw rows of the problem as a dataset with names."""
    from rankwise.datasets import Dataset

    X, Y = outings_oracle().sample(n_rows, random_state=seed)
    return Dataset(
        X.astype(np.float64), Y, feature_names=FEATURES, label_names=LABELS, name="outings"
    )


def drop_idle_rows(dataset: Dataset) -> Dataset:
    """Leave out the rows that rank fewer than two labels: they teach nothing."""
    kept = (~np.isnan(dataset.ranks)).sum(axis=1) > 1
    return replace(dataset, X=dataset.features[kept], Y=dataset.ranks[kept])


def describe(x: np.ndarray) -> str:
    """Name the features that are true in a row.

    Examples
    --------
    >>> describe(np.array([1, 0, 0, 1, 0, 0, 0, 0]))
    'sunny, weekend'
    """
    return ", ".join(name for name, value in zip(FEATURES, x, strict=True) if value) or "plain day"
