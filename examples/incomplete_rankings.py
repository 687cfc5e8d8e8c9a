"""Incomplete and partial rankings: what deletion costs, when it breaks learning, and who wins.

    python examples/incomplete_rankings.py           # a minute and a half of processor time
    python examples/incomplete_rankings.py --quick   # small, to see that it runs

Data comes from oracles, so that the truth is known. Tables show the share of new rows whose whole
ranking is predicted wrongly, Pr[h(x) != h*(x)], or Kendall's tau with the truth, mean and standard
deviation of five training sets. Where matplotlib is installed three figures are drawn into the
current folder. What they show:

1. The error falls with the number of rows for every survival probability q and for both classes.
   Two labels meet in a share q² of the rows; drawn against n q², the three curves are one. At q = 0.7
   half of the comparisons are gone, and pairs still beat a labelwise forest on complete rankings
   here: 0.17 wrong (half-spaces, 3,000 rows) against 0.32.
2. The error falls as well with ties in place of gaps, and where gaps depend on x. Two labels that
   never meet are decided through others, at little cost. A label that meets no other is lost: two
   thirds of the rankings are wrong, whatever the number of rows, and `pair_counts_` shows its zeros.
3. Who wins at 1,000 rows. Linear scores: logistic regression on pairs, always (tau 0.97, 0.95, 0.92
   with 0, 30 and 60 % missing). Wavy scores: a labelwise forest if nothing is missing (0.91); a
   forest whose trees are about all pairs at once and shallow trees on pairs are level at 30 % (0.80
   and 0.79), shallow trees win at 60 % (0.74). Gaps filled with mean positions cost most: at 60 %
   they leave 0.32 (linear) and 0.40 (wavy). Logistic regression on wavy scores is worst throughout
   (0.23 to 0.18): a wrong class costs more than gaps.
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
from rankwise.hypotheses import Ball, Halfspace
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

N_FEATURES, N_LABELS = 4, 4
N_NEW = 2_000
SURVIVAL = (0.4, 0.7, 1.0)

# x, mean, sd: what rankwise.plots draws
Curve = tuple[list[float], list[float], list[float]]
Curves = dict[str, Curve]


class Study:
    """How many rows, and how many training sets are drawn for each figure."""

    def __init__(self, quick: bool) -> None:
        self.sizes = (60, 240) if quick else (100, 300, 1_000, 3_000)
        self.repeats = 1 if quick else 5
        self.n_ways = 200 if quick else 1_000
        self.n_trees = 10 if quick else 50

    def errors(self, model: Any, source: Oracle) -> Curve:
        """Share of new rows whose ranking is not the truth, by number of training rows."""

        def error(n: int, seed: int) -> float:
            wrong = 1 - self.measure(exact_match, model, source, n, seed)
            # no mistake in 2,000 rows is no proof of none, and logarithms know no 0
            return max(wrong, 0.5 / N_NEW)

        found = np.array([[error(n, s) for s in range(self.repeats)] for n in self.sizes])
        return list(self.sizes), found.mean(axis=1).tolist(), found.std(axis=1).tolist()

    def taus(self, model: Any, sources: dict[float, Oracle]) -> Curve:
        """Kendall's tau with the truth, by the share of missing labels."""
        found = np.array(
            [
                [
                    self.measure(kendall_tau, model, s, self.n_ways, seed)
                    for seed in range(self.repeats)
                ]
                for s in sources.values()
            ]
        )
        missing = [1 - q for q in sources]
        return missing, found.mean(axis=1).tolist(), found.std(axis=1).tolist()

    def measure(
        self, metric: Callable[..., float], model: Any, source: Oracle, n: int, seed: int
    ) -> float:
        """Fit on n rows and compare with the truth of new ones."""
        X, Y = source.sample(n, random_state=seed)
        X_new, _ = source.sample(N_NEW, random_state=10_000 + seed)
        return float(metric(source.truth(X_new), model.fit(X, Y).predict(X_new)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and repeats")
    study = Study(parser.parse_args().quick)
    warnings.simplefilter("ignore", RankingWarning)
    by_class = deletion(study)
    mechanisms = other_mechanisms(study)
    ways = {name: four_ways(study, name, scores) for name, scores in SCORES.items()}
    draw(by_class, mechanisms, ways)


def oracle(mechanism: Any = None, scores: Any = None) -> Oracle:
    return Oracle(
        SparseLinear(N_FEATURES, N_LABELS, 3, random_state=1) if scores is None else scores,
        features=UniformFeatures(N_FEATURES),
        noise=TruncatedGaussian(0.05),
        mechanism=mechanism,
    )


def deletion(study: Study) -> dict[str, Curves]:
    """1. The error falls with n for every q. A pair meets in q² of the rows: that is what counts."""
    classes = {"half-spaces": Halfspace(time_limit=0), "balls": Ball(time_limit=0)}
    reference = study.errors(
        ForestRanker(study.n_trees, min_samples_leaf=3, random_state=0), oracle()
    )
    shown = {}
    for name, classifier in classes.items():
        curves = {
            f"q = {q}": study.errors(PairwiseRanker(classifier), oracle(Survival(q)))
            for q in SURVIVAL
        }
        curves["labelwise forest, q = 1"] = reference
        table(f"1. Pairs, {name}: share of wrong rankings by training rows", curves)
        shown[name] = curves
    return shown


def other_mechanisms(study: Study) -> dict[str, Curves]:
    """2. Ties instead of gaps, gaps that depend on x, and gaps after which nothing can be learnt."""
    logistic = PairwiseRanker(LogisticRegression(C=100))

    def depends_on_x(X: np.ndarray) -> np.ndarray:
        return 0.2 + 0.8 * np.stack([X[:, 0], X[:, 1], 1 - X[:, 0], 1 - X[:, 1]], axis=1)

    cases = {
        "ties: a cut between neighbours with chance p": {
            f"p = {p}": Partition(p) for p in (0.3, 0.6, 1.0)
        },
        "labels survive by chance q(x)": {
            "q = 0.6 everywhere": Survival(0.6),
            "q(x) from 0.2 to 1": Survival(depends_on_x),
        },
        "half of the labels survive": {
            "any two can meet": Survival(0.5),
            "0 and 1 never meet": Survival(lambda X: never_beside(X, [1])),
            "0 meets no other": Survival(lambda X: never_beside(X, [1, 2, 3])),
        },
    }
    shown = {}
    for title, mechanisms in cases.items():
        shown[title] = {
            name: study.errors(logistic, oracle(mechanism))
            for name, mechanism in mechanisms.items()
        }
        table(f"2. {title}: share of wrong rankings by training rows", shown[title])
    X, Y = oracle(mechanisms["0 meets no other"]).sample(1_000, random_state=7)
    print("\nWhy the last one fails, whatever the number of rows: pair_counts_ of 1,000 rows")
    print(logistic.fit(X, Y).pair_counts_)
    return shown


def never_beside(X: np.ndarray, others: list[int]) -> np.ndarray:
    """Survival of each label: 0 in half of the rows, `others` in the other half, the rest by 1/2."""
    first = np.floor(X[:, 2] * 1e6) % 2
    q = np.full((len(X), N_LABELS), 0.5)
    q[:, 0] = first
    q[:, others] = 1 - first[:, None]
    return q


def waves(X: np.ndarray) -> np.ndarray:
    """Scores that no linear function is near."""
    last = (X[:, 3] > 0.5) - 0.5
    return np.stack(
        [np.sin(9 * X[:, 0]), np.cos(7 * X[:, 1]), np.sin(8 * X[:, 2] + 1), last], axis=1
    )


SCORES = {"linear scores": None, "wavy scores": waves}


def four_ways(study: Study, name: str, scores: Any) -> Curves:
    """3. Four ways to learn from the same incomplete rows."""
    forest = {"n_estimators": study.n_trees, "min_samples_leaf": 3, "random_state": 0}
    ways = {
        "pairs, logistic": PairwiseRanker(),
        "pairs, depth 4": PairwiseRanker(DecisionTreeClassifier(max_depth=4), random_state=0),
        "joint forest of pairs": ForestRanker(**forest, decomposition="joint_pairwise"),
        "mean-imputed": MeanImputed(RandomForestRegressor(**forest)),
    }
    sources = {q: oracle(Survival(q), scores) for q in SURVIVAL[::-1]}
    curves = {way: study.taus(model, sources) for way, model in ways.items()}
    table(f"3. {name}, {study.n_ways:,} rows: tau by share of missing labels", curves)
    for column, missing in enumerate(1 - q for q in sources):
        first, second = sorted(curves, key=lambda way: -curves[way][1][column])[:2]
        ahead = curves[first][1][column] - curves[second][1][column]
        spread = max(curves[way][2][column] for way in (first, second))
        verdict = "wins" if ahead > spread else "is first, but hardly"
        print(f"  {missing:.0%} missing: {first} {verdict}, {ahead:.3f} before {second}")
    return curves


class MeanImputed:
    """Labelwise regression on positions, gaps filled with each label's mean position."""

    def __init__(self, regressor: Any) -> None:
        self.model = LabelwiseRanker(regressor)

    def fit(self, X: np.ndarray, Y: np.ndarray) -> MeanImputed:
        """Fill in Y and fit."""
        self.model.fit(X, np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Rank the labels of new rows."""
        return self.model.predict(X)


def table(title: str, curves: Curves) -> None:
    columns = next(iter(curves.values()))[0]
    print(f"\n{title}")
    print(" " * 26 + "".join(f"{x:>15,.4g}" for x in columns))
    for name, (_, mean, sd) in curves.items():
        cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(mean, sd, strict=True)]
        print(f"{name:<26}" + "".join(f"{cell:>15}" for cell in cells))


def draw(
    by_class: dict[str, Curves], mechanisms: dict[str, Curves], ways: dict[str, Curves]
) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    from rankwise.plots import learning_curve, tau_by_missing

    def panels(n: int) -> Any:
        return plt.subplots(1, n, figsize=(4.8 * n, 4.4), sharey=True, layout="constrained")

    def save(figure: Any, path: str) -> None:
        for ax in figure.axes:
            ax.label_outer()
            if ax.get_yscale() == "log":
                ax.set_yticks([y for y in (0.05, 0.1, 0.2, 0.4, 0.8) if y > ax.get_ylim()[0]])
                ax.yaxis.set_major_formatter("{x:g}")
                ax.yaxis.set_minor_formatter("")
        figure.savefig(path, dpi=120)
        plt.close(figure)

    errors = {"y_label": "share of wrong rankings", "log_x": True, "log_y": True}
    collapsed = {
        f"q = {q}": ([n * q**2 for n in x], mean, sd)
        for q in SURVIVAL
        for x, mean, sd in [by_class["half-spaces"][f"q = {q}"]]
    }
    figure, axes = panels(3)
    for ax, (name, curves) in zip(axes, by_class.items(), strict=False):
        learning_curve(curves, ax=ax, **errors).set_title(f"pairs, {name}")
    learning_curve(collapsed, ax=axes[2], x_label="rows in which a pair meets, n q²", **errors)
    axes[2].set_title("half-spaces, by what counts")
    save(figure, "incomplete_rankings_1_deletion.png")
    figure, axes = panels(3)
    for ax, (title, curves) in zip(axes, mechanisms.items(), strict=True):
        learning_curve(curves, ax=ax, **errors).set_title(title)
    save(figure, "incomplete_rankings_2_mechanisms.png")
    figure, axes = panels(2)
    for ax, (name, curves) in zip(axes, ways.items(), strict=True):
        tau_by_missing(curves, ax=ax).set_title(name)
    save(figure, "incomplete_rankings_3_ways.png")


if __name__ == "__main__":
    main()
