"""The regression function m: sparse linear scores, or any Python callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import check_integer, check_size
from rankwise.oracles._checks import call_in_blocks, check_features
from rankwise.oracles._kernels import sparse_linear
from rankwise.oracles._random import RandomState, streams

Scores: TypeAlias = Callable[[np.ndarray], Any]


@check_arguments
class SparseLinear:
    """Scores that are linear in `sparsity` features of each label's own choice.

    For features in [0, 1] the scores of a label fill an interval around 1/2 inside [1/4, 3/4], of
    length 0.45 to 0.5; the lengths differ, so that labels do not tie where each is at its best.
    Which features, how strong and of which sign is drawn from `random_state`; no weight is weaker
    than a tenth of the strongest possible, so that all chosen features are informative.

    Parameters
    ----------
    n_features, n_labels : int
        Numbers of features and of labels.
    sparsity : int
        Number r of informative features per label.
    random_state : int, Generator, RandomState, SeedSequence or None, default 0
        Draws supports, weights and intercepts.

    Attributes
    ----------
    supports : list of n_labels arrays
        Indices of the informative features of each label, increasing.
    weights : array of shape (n_labels, n_features)
    intercepts : array of shape (n_labels,)

    Examples
    --------
    Three labels (tea, coffee, water), each driven by two of six features:

    >>> m = SparseLinear(6, 3, 2, random_state=0)
    >>> [len(support) for support in m.supports]
    [2, 2, 2]
    >>> m(np.zeros((1, 6))).shape
    (1, 3)
    """

    def __init__(
        self, n_features: int, n_labels: int, sparsity: int, random_state: RandomState = 0
    ) -> None:
        self.n_features = check_size("n_features", n_features, 1, bytes_each=64)
        self.n_labels = check_size("n_labels", n_labels, 2, max(200, 8 * self.n_features))
        self.sparsity = check_integer("sparsity", sparsity, 1)
        if self.sparsity > self.n_features:
            raise ValueError(
                f"sparsity is {sparsity} but there are only {n_features} features; "
                "lower sparsity or raise n_features"
            )
        (rng,) = streams(random_state, 1)
        shape = (self.n_labels, self.sparsity)
        drawn = [rng.choice(self.n_features, self.sparsity, replace=False) for _ in range(n_labels)]
        self._features = np.sort(drawn, axis=1).astype(np.int64)
        strength = rng.uniform(0.1, 1.0, shape)
        length = rng.uniform(0.45, 0.5, self.n_labels)
        strength *= (length / strength.sum(axis=1))[:, None]
        self._weights = np.where(rng.random(shape) < 0.5, -strength, strength)
        self.intercepts = 0.5 - length / 2 - np.minimum(self._weights, 0).sum(axis=1)

    def __repr__(self) -> str:
        return (
            f"SparseLinear(n_features={self.n_features}, n_labels={self.n_labels}, "
            f"sparsity={self.sparsity})"
        )

    @property
    def supports(self) -> list[np.ndarray]:
        """Indices of the informative features of each label."""
        return [features.copy() for features in self._features]

    @property
    def weights(self) -> np.ndarray:
        """The weight of every feature (column) for every label (row)."""
        weights = np.zeros((self.n_labels, self.n_features))
        np.put_along_axis(weights, self._features, self._weights, axis=1)
        return weights

    def __call__(self, X: Any) -> np.ndarray:
        """Return the scores, shape (n_samples, n_labels)."""
        X = check_features(X, n_features=self.n_features)
        # Two layouts, two compilations: one byte per Boolean cell, float64 for the rest.
        X = np.ascontiguousarray(X, dtype=np.uint8 if X.dtype == bool else np.float64)
        out = np.empty((len(X), self.n_labels))
        sparse_linear(X, self._features, self._weights, self.intercepts, out)
        return out


def evaluate_scores(scores: Scores, X: np.ndarray) -> np.ndarray:
    """Return m(X) as float64 (n_samples, n_labels), refusing wrong shapes and NaN."""
    if isinstance(scores, SparseLinear):
        return scores(X)
    blocks: list[np.ndarray] = []
    for start, n_rows, given in call_in_blocks(scores, X):
        values = check_scores(given, n_samples=n_rows, first_row=start)
        if blocks and values.shape[1] != blocks[0].shape[1]:
            raise ValueError(
                f"scores: m(X) gave {blocks[0].shape[1]} labels at row 0 but {values.shape[1]} at "
                f"row {start}; the number of labels is fixed"
            )
        blocks.append(values)
    return np.concatenate(blocks)


def check_scores(values: Any, *, n_samples: int | None = None, first_row: int = 0) -> np.ndarray:
    """Return scores as float64 (n_samples, n_labels), refusing wrong shapes and NaN."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError("scores: m(X) must return numbers, one row per row of X") from None
    rows = "n_samples" if n_samples is None else n_samples
    wrong_rows = n_samples is not None and values.shape[:1] != (n_samples,)
    if values.ndim != 2 or wrong_rows or values.shape[1] < 2:
        raise ValueError(
            f"scores: m(X) has shape {values.shape}; expected ({rows}, n_labels) with at least "
            "two labels"
        )
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, label = (int(axis[0]) for axis in np.nonzero(wrong))
        raise ValueError(
            f"row {first_row + row}: label {label} has score {values[row, label]}; every label "
            "needs a finite score (leave labels out with a mechanism such as Survival)"
        )
    return values
