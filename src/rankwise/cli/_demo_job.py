"""What the demo computes: cross-validation against the consensus, and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from rankwise.baselines import Consensus
from rankwise.cli._demo_problem import describe, outings_oracle
from rankwise.datasets import Dataset
from rankwise.forest import ForestRanker
from rankwise.metrics import kendall_tau
from rankwise.validation import cross_validate

N_TREES = 100
N_FOLDS = 10


def make_forest(seed: int) -> ForestRanker:
    """Return the learner of the demo."""
    # Certainty is a share of the rows in a leaf, and small leaves are too sure: of 1, 5, 10, 20 and
    # 40 rows, 20 came nearest to the oracle's chances on new days (0.76 against 0.75; with 5 rows
    # 0.80 against 0.73).
    return ForestRanker(n_estimators=N_TREES, min_samples_leaf=20, n_jobs=-1, random_state=seed)


class Truth:
    """The rule behind the data, as a ranker: noise allows no more than it reaches."""

    def fit(self, X: np.ndarray, Y: np.ndarray) -> Self:
        """Learn nothing."""
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Rank by the scores without noise."""
        return outings_oracle().truth(X)


def validate(
    data: Dataset, seed: int, each_fold: Callable[[], None]
) -> dict[str, dict[str, float | int | None]]:
    """Summarize Kendall's tau over folds: of the forest, of the consensus and of the truth."""
    rankers = {
        "forest": lambda _: make_forest(seed),
        "consensus": lambda _: Consensus(),
        "truth": lambda _: Truth(),
    }
    return {
        name: cross_validate(
            make,
            data.X,
            data.Y,
            cv=N_FOLDS,
            metrics={"tau": kendall_tau},
            seed=seed,
            each_fold=each_fold if name == "forest" else None,
        ).summary("tau")
        for name, make in rankers.items()
    }


def predict_rows(model: Any, dataset: Dataset, rows: np.ndarray) -> list[dict[str, Any]]:
    """Return, per row, the order of the labels and how sure the first is to beat the second."""
    shares = model.predict_pairwise(dataset.X[rows])
    true_chances = outings_oracle().pairwise(dataset.X[rows])
    positions = model.predict_positions(dataset.X[rows])
    predictions = []
    for p, ranks in enumerate(model.predict(dataset.X[rows])):
        # Tied labels stand in the order of their finer positions.
        order = np.lexsort((positions[p], ranks))
        first, second = order[:2]
        predictions.append(
            {
                "row": int(rows[p]),
                "day": describe(dataset.X[rows[p]]),
                "order": [dataset.label_names[j] for j in order],
                "certainty": float(shares[p, first, second]),
                "true_chance": float(true_chances[p, first, second]),
            }
        )
    return predictions


def rows_to_show(dataset: Dataset) -> np.ndarray:
    """Return three rows that differ from each other: the first of each kind of day."""
    names = dataset.feature_names
    sunny, evening = (dataset.X[:, names.index(name)] > 0 for name in ("sunny", "evening"))
    kinds = (sunny & ~evening, evening, ~sunny & ~evening)
    return np.array([int(np.flatnonzero(kind)[0]) for kind in kinds if kind.any()])
