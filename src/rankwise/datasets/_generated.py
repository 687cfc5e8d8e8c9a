"""Benchmarks that need no file: scikit-learn's own tables, and a Friedman set for ``fried``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise._parameters import check_integer, check_number
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._from_tables import from_classification, from_regression

# More would take more memory than a machine has.
_MOST_SAMPLES = 10**8
_N_SAMPLES, _N_FEATURES, _N_LABELS = 40768, 9, 5


def make_friedman(
    n_samples: int = _N_SAMPLES, *, noise: float = 0.0, random_state: int | None = 0
) -> Dataset:
    """Make a type-B benchmark with the shape of ``fried``: 9 features, 5 labels.

    Each label's score is Friedman's function #1 of another five of nine uniform features (label j
    starts at feature 2j, cyclically); the scores are standardised and ordered.

    Parameters
    ----------
    n_samples : int
        Number of rows, at least 2.
    noise : float
        Standard deviation of Gaussian noise on the scores.
    random_state : int, optional
        Seed.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> make_friedman(100).X.shape
    (100, 9)
    """
    check_number("noise", noise)
    check_integer("n_samples", n_samples, 0, _MOST_SAMPLES)
    if n_samples < 2:
        raise ValueError(
            f"n_samples is {n_samples}; at least 2 rows are needed to standardise scores"
        )
    if random_state is not None and not isinstance(random_state, np.random.Generator):
        check_integer("random_state", random_state, 0)
    rng = np.random.default_rng(random_state)
    X = rng.uniform(size=(n_samples, _N_FEATURES))
    scores = np.column_stack([friedman1(np.roll(X, -2 * j, axis=1)) for j in range(_N_LABELS)])
    scores += noise * rng.standard_normal(scores.shape)
    table = np.hstack([X, scores])
    made = from_regression(
        table,
        range(_N_FEATURES, _N_FEATURES + _N_LABELS),
        name="generated/friedman",
        source="made by rankwise from Friedman's function #1",
    )
    labels = tuple(f"L{j + 1}" for j in range(_N_LABELS))
    return replace(made, label_names=labels, licence="none needed")


def friedman1(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Friedman's function #1 (1991) of the first five columns."""
    wave = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
    return np.asarray(wave + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4])


def _from_sklearn(loader: str) -> Dataset:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{loader}")()
    source = f"scikit-learn's copy of UCI {loader}, ranked by naive Bayes"
    classes = bunch.target_names[bunch.target]
    made = from_classification(bunch.data, classes, name=f"generated/{loader}", source=source)
    names = tuple(str(name) for name in bunch.feature_names)
    return replace(made, feature_names=names, licence="UCI, CC BY 4.0")


GENERATORS: dict[str, Callable[[], Dataset]] = {
    "generated/friedman": make_friedman,
    "generated/iris": lambda: _from_sklearn("iris"),
    "generated/wine": lambda: _from_sklearn("wine"),
}
