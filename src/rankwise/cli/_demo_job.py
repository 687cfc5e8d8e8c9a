"""What the demo computes: who ranks best on rows left out, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.auto import FLOOR, AutoRanker
from rankwise.cli._demo_problem import describe, outings_oracle
from rankwise.datasets import Dataset
from rankwise.metrics import kendall_tau


def make_ranker(seed: int) -> AutoRanker:
    """Return the learner of the demo, which is the default of `fit`."""
    return AutoRanker(n_jobs=-1, random_state=seed, verbose=1)


def taus_of(model: AutoRanker, data: Dataset) -> dict[str, float]:
    """Kendall's tau on rows left out: of what was chosen, of the consensus, and of the truth.

    Each row counts by the pairs that it compares, as on the leaderboard. The truth ranks by the scores
    without noise, which allows no more than it reaches.
    """
    known = (~np.isnan(data.ranks)).sum(axis=1)
    truth = outings_oracle().truth(data.features)
    floor = next(standing.tau for standing in model.leaderboard_ if standing.learner == FLOOR)
    limit = kendall_tau(data.ranks, truth, sample_weight=known * (known - 1) / 2)
    return {"consensus": floor, "chosen": model.score_, "truth": float(limit)}


def predict_rows(model: Any, dataset: Dataset, rows: np.ndarray) -> list[dict[str, Any]]:
    """Return, per row, the order of the labels and how sure the first is to beat the second."""
    chances = model.predict_pairwise(dataset.features[rows])
    true_chances = outings_oracle().pairwise(dataset.features[rows])
    positions = model.predict_positions(dataset.features[rows])
    predictions = []
    for p, ranks in enumerate(model.predict(dataset.features[rows])):
        # Tied labels stand in the order of their finer positions.
        order = np.lexsort((positions[p], ranks))
        first, second = order[:2]
        predictions.append(
            {
                "row": int(rows[p]),
                "day": describe(dataset.features[rows[p]]),
                "order": [dataset.label_names[j] for j in order],
                "certainty": float(chances[p, first, second]),
                "true_chance": float(true_chances[p, first, second]),
            }
        )
    return predictions


def rows_to_show(dataset: Dataset) -> np.ndarray:
    """Return three rows that differ from each other: the first of each kind of day."""
    names = dataset.feature_names
    sunny, evening = (dataset.features[:, names.index(name)] > 0 for name in ("sunny", "evening"))
    kinds = (sunny & ~evening, evening, ~sunny & ~evening)
    return np.array([int(np.flatnonzero(kind)[0]) for kind in kinds if kind.any()])
