"""Incomplete and partial rankings: what deletion costs, when it breaks learning, and who wins.

    python examples/incomplete_rankings.py            # under two minutes
    python examples/incomplete_rankings.py --figure errors.png

Every table shows the share of new rows whose whole ranking is predicted wrongly,
Pr[h(x) != h*(x)], or Kendall's tau with the truth. All data is drawn from oracles. It shows:

- The error falls with the number of rows for every survival probability q, and a smaller q costs
  rows: 3,000 rows at q = 0.4 are worth some 500 at q = 1. Rectangles level off, because the truth
  is made of half-spaces.
- A pair that never meets is decided through the labels between; a label that meets none is lost,
  however many rows there are.
- Who wins: logistic regression on pairs wherever scores are linear. Where they are not, shallow
  trees on pairs if labels are missing, and labelwise forests if none is. Filling gaps with mean
  positions is the worst choice at q = 0.4 unless the pairs' classifier is of the wrong kind.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rankwise.forest import ForestRanker
from rankwise.hypotheses import Halfspace, Rectangle
from rankwise.metrics import exact_match, kendall_tau
from rankwise.oracles import (
    Oracle,
    Partition,
    SparseLinear,
    Survival,
    TruncatedGaussian,
    UniformFeatures,
)
from rankwise.pairwise import PairwiseRanker
from rankwise.rankings import RankingWarning
from rankwise.tree import LabelwiseRanker

SIZES = (100, 300, 1_000, 3_000)
N_FEATURES, N_LABELS = 4, 4
# Training sets drawn per figure.
REPEATS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", help="also draw the first table into this file")
    figure = parser.parse_args().figure
    warnings.simplefilter("ignore", RankingWarning)
    curves = deletion()
    partitions()
    deletion_that_depends_on_features()
    deletion_that_breaks_learning()
    side_by_side()
    if figure:
        draw(curves, figure)


def oracle(mechanism: Any = None, noise: float = 0.05) -> Oracle:
    return Oracle(
        SparseLinear(N_FEATURES, N_LABELS, 3, random_state=1),
        features=UniformFeatures(N_FEATURES),
        noise=TruncatedGaussian(noise),
        mechanism=mechanism,
    )


def errors(model: Any, source: Oracle, sizes: tuple[int, ...] = SIZES) -> list[float]:
    """Share of 2,000 new rows whose ranking is not the truth, by number of training rows."""
    X_new, _ = source.sample(2_000, random_state=99)
    truth = source.truth(X_new)

    def error(n: int, seed: int) -> float:
        X, Y = source.sample(n, random_state=seed)
        return 1 - exact_match(truth, model.fit(X, Y).predict(X_new))

    return [float(np.mean([error(n, seed) for seed in range(REPEATS)])) for n in sizes]


def deletion() -> dict[str, list[float]]:
    """1. The error falls with n for every q; smaller q, and so smaller phi = q², costs rows."""
    classes = {
        "half-spaces, logistic": LogisticRegression(C=100),
        "half-spaces, 0/1 risk": Halfspace(time_limit=0),
        "rectangles, 0/1 risk": Rectangle(time_limit=0),
    }
    curves = {
        f"{name}, q = {q}": errors(PairwiseRanker(classifier), oracle(Survival(q)))
        for name, classifier in classes.items()
        for q in (0.4, 0.7, 1.0)
    }
    curves["reference: labelwise forest, q = 1.0"] = errors(
        ForestRanker(50, min_samples_leaf=3, random_state=0), oracle()
    )
    table("1. Error by number of rows and survival probability q", SIZES, curves)
    return curves


def partitions() -> None:
    """2a. Ties instead of gaps: p is the chance of a cut between two neighbours."""
    curves = {
        f"p = {p}": errors(PairwiseRanker(LogisticRegression(C=100)), oracle(Partition(p)))
        for p in (0.3, 0.6, 1.0)
    }
    table("2a. Error on partial rankings", SIZES, curves)


def deletion_that_depends_on_features() -> None:
    """2b. Which labels survive may depend on x, as long as no pair dies out anywhere."""

    def q(X: np.ndarray) -> np.ndarray:
        return 0.4 + 0.5 * np.stack([X[:, 0], X[:, 1], 1 - X[:, 0], 1 - X[:, 1]], axis=1)

    curves = {"q(x) in [0.4, 0.9]": errors(PairwiseRanker(), oracle(Survival(q)))}
    table("2b. Error under deletion that depends on features", SIZES, curves)


def deletion_that_breaks_learning() -> None:
    """2c. Pairs that never meet: decided through other labels, or, if nothing links them, lost."""

    def first_or_second(X: np.ndarray) -> np.ndarray:
        first = (np.floor(X[:, 2] * 1e6) % 2)[:, None]
        return np.hstack([first, 1 - first, np.ones((len(X), N_LABELS - 2))])

    def first_or_others(X: np.ndarray) -> np.ndarray:
        first = (np.floor(X[:, 2] * 1e6) % 2)[:, None]
        return np.hstack([first, np.repeat(1 - first, N_LABELS - 1, axis=1)])

    broken = oracle(Survival(first_or_others))
    curves = {
        "every second label deleted": errors(PairwiseRanker(), oracle(Survival(0.5))),
        "label 0 never beside label 1": errors(PairwiseRanker(), oracle(Survival(first_or_second))),
        "label 0 never beside any": errors(PairwiseRanker(), broken),
    }
    table("2c. Error where deletion tolerance is broken", SIZES, curves)
    X, Y = broken.sample(1_000, random_state=7)
    print("pair_counts_ says why: label 0 was never compared")
    print(PairwiseRanker().fit(X, Y).pair_counts_)


def side_by_side() -> None:
    """3. Four ways to learn from the same incomplete rows."""
    ways: dict[str, Callable[[], Any]] = {
        "pairs, logistic regression": PairwiseRanker,
        "pairs, trees of depth 4": lambda: PairwiseRanker(
            DecisionTreeClassifier(max_depth=4), random_state=0
        ),
        "pairwise forest": lambda: ForestRanker(
            50, min_samples_leaf=3, decomposition="pairwise", random_state=0
        ),
        "labelwise forest, mean-imputed": MeanImputed,
    }
    for name, scores in (("linear", None), ("steps", _steps)):
        rows = {}
        for way, make in ways.items():
            found = []
            for q in (0.4, 0.7, 1.0):
                source = oracle(Survival(q))
                if scores is not None:
                    source = Oracle(
                        scores, features=UniformFeatures(N_FEATURES), mechanism=Survival(q)
                    )
                X, Y = source.sample(1_000, random_state=7)
                X_new, _ = source.sample(2_000, random_state=99)
                found.append(kendall_tau(source.truth(X_new), make().fit(X, Y).predict(X_new)))
            rows[way] = found
        table(f"3. Kendall's tau by q, 1,000 rows, scores: {name}", (0.4, 0.7, 1.0), rows)


def _steps(X: np.ndarray) -> np.ndarray:
    """Scores that no linear function is near."""
    return np.stack(
        [
            np.sin(9 * X[:, 0]),
            np.cos(7 * X[:, 1]),
            np.sin(8 * X[:, 2] + 1),
            (X[:, 3] > 0.5) - 0.5,
        ],
        axis=1,
    )


class MeanImputed:
    """Labelwise regression on positions, gaps filled with each label's mean position."""

    def fit(self, X: np.ndarray, Y: np.ndarray) -> MeanImputed:
        """Fill in Y and fit."""
        filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
        regressor = RandomForestRegressor(50, min_samples_leaf=3, random_state=0)
        self.model = LabelwiseRanker(regressor).fit(X, filled)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Rank the labels of new rows."""
        return self.model.predict(X)


def table(title: str, columns: tuple[float, ...], rows: dict[str, list[float]]) -> None:
    print(f"\n{title}")
    print(" " * 40 + "".join(f"{column:>9,}" for column in columns))
    for name, values in rows.items():
        print(f"{name:<40}" + "".join(f"{value:9.3f}" for value in values))


def draw(curves: dict[str, list[float]], path: str) -> None:
    from rankwise._extras import require

    plt = require("matplotlib.pyplot", "drawing the figure")
    figure, axes = plt.subplots(figsize=(7, 5))
    for name, values in curves.items():
        axes.loglog(SIZES, values, marker="o", label=name)
    axes.set_xlabel("training rows")
    axes.set_ylabel("share of wrong rankings")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
