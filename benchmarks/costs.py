"""What a choice costs: share of the gap closed on ASlib scenarios, by their own folds, and generated ones.

    make costs                                          # all of it: docs/results/costs.md
    python benchmarks/costs.py --scenarios SAT11-HAND   # some of it; the rest of the page stays as it is
    python benchmarks/costs.py --generated 2            # the same for generated scenarios

Scenarios are folders under `aslib` in RANKWISE_DATA.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor

from rankwise import AutoRanker, ForestRanker, ranks_from_scores
from rankwise.datasets import read
from rankwise.learners import find_learner
from rankwise.metrics import regret
from rankwise.validation import Costs, cross_validate, draw_folds, plan_folds

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "docs" / "_ext")]

import costs_page as page  # noqa: E402  (it stands in docs/_ext)
from _cost_scenarios import Scenario, scenarios  # noqa: E402

SCENARIOS = ("CPMP-2015", "OPENML-WEKA-2017", "SAT11-HAND")
N_SEEDS = 2


class LogForests(BaseEstimator):
    """The peer by regression: for each label a forest on log values, or on values that are not positive."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray, values: np.ndarray | None = None) -> LogForests:
        """Fit a forest to each column of the values."""
        assert values is not None
        down = bool(np.nansum((values - np.nanmean(values, axis=1, keepdims=True)) * y) > 0)
        target = np.log(np.maximum(values, 1e-3)) if down else -values
        self.forests_ = []
        for column in target.T:
            known = ~np.isnan(column)
            forest = RandomForestRegressor(100, max_features=1 / 3, random_state=self.random_state)
            self.forests_.append(forest.fit(X[known], column[known]))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Rank the labels by what the forests predict, the least first."""
        found = np.column_stack([forest.predict(X) for forest in self.forests_])
        return np.asarray(ranks_from_scores(found, higher_is_better=False))


def peers() -> dict[str, Callable[[], Any]]:
    """Return the methods of the first table: what stands in the file, and how it is made."""
    return {
        page.PLAIN: lambda: ForestRanker(by_cost=False, random_state=0),
        page.PAIRS: lambda: find_learner("CostForest").estimator(seed=0, ties="never"),
        page.LOGS: lambda: LogForests(random_state=0),
        page.WEIGHED: lambda: ForestRanker(by_cost=True, random_state=0),
        page.DEFAULT: lambda: ForestRanker(random_state=0),
        page.AUTO: lambda: AutoRanker(random_state=0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenarios", metavar="A,B,C", help="some of them alone")
    parser.add_argument(
        "--methods", metavar="A;B", help="some methods alone, as the table calls them"
    )
    parser.add_argument(
        "--generated", type=int, metavar="N", help="generated ones alone, N of each"
    )
    asked = parser.parse_args()
    docs, every = HERE.parent / "docs", asked.scenarios is None and asked.generated is None
    if asked.scenarios or every:
        methods = asked.methods.split(";") if asked.methods else list(peers())
        for name in asked.scenarios.split(",") if asked.scenarios else SCENARIOS:
            found = pd.DataFrame(judge_scenario(name, methods), columns=page.FOLDS)
            page.PAGE.keep(docs, folds=found)
    if asked.generated or every:
        drawn = [row for one in scenarios(asked.generated or N_SEEDS) for row in judge(one)]
        page.PAGE.keep(docs, generated=pd.DataFrame(drawn, columns=page.GENERATED))
    print("written to docs/results/costs.md")


def judge_scenario(name: str, methods: list[str]) -> list[list[Any]]:
    """One row per method and fold: what is lost and spent, by it and by the single and virtual best."""
    data = read(Path(os.environ["RANKWISE_DATA"]) / "aslib" / name)
    costs, splits = Costs.of(data), plan_folds(data).splits(data)
    rows = []
    for method in methods:
        make = peers()[method]
        start = time.process_time()
        found = cross_validate(
            lambda _, make=make: make(),
            data.features,
            data.ranks,
            cv=splits,
            costs=costs,
            by_cost=True,
        )
        spent = (time.process_time() - start) / len(splits)
        for fold in range(len(splits)):
            figures = [found.scores[what][fold] for what in ("regret", "value")]
            for who in ("single_best", "virtual_best"):
                figures += [found.references[who][what][fold] for what in ("regret", "value")]
            sizes = found.n_train[fold], found.n_test[fold]
            rows.append([name, data.unit, method, fold, *sizes, *figures, spent])
        print(f"{name}: {method}, {spent:.1f} s a fold", flush=True)
    return rows


def judge(drawn: Scenario) -> list[list[Any]]:
    """Shares of the gap closed on new rows; the choice is made by costs of five inner folds."""

    def lost(values: np.ndarray, ranks: np.ndarray) -> float:
        return float(regret(values, ranks, higher_is_better=drawn.higher_is_better))

    def forest(by_cost: bool | str) -> ForestRanker:
        return ForestRanker(by_cost=by_cost, random_state=0)

    means = drawn.values.mean(axis=0, keepdims=True)
    single = ranks_from_scores(means, higher_is_better=drawn.higher_is_better)
    gap = lost(drawn.values_new, np.tile(single, (len(drawn.X_new), 1)))
    known, closed, inner = (drawn.X, drawn.ranks, drawn.values), {}, {}
    for method, by_cost in page.FORESTS.items():
        fitted = forest(by_cost).fit(known[0], known[1], values=known[2])
        closed[method] = 1 - lost(drawn.values_new, fitted.predict(drawn.X_new)) / gap
        if method == page.DEFAULT:
            expected, spread = fitted.predict_values(drawn.X_new, return_std=True)
            within = float((np.abs(drawn.values_new - expected) <= spread).mean())
            continue
        inner[method] = 0.0
        for train, test in draw_folds(len(drawn.X), 5):
            X, ranks, values = (part[train] for part in known)
            found = forest(by_cost).fit(X, ranks, values=values).predict(drawn.X[test])
            inner[method] += len(test) * lost(drawn.values[test], found)
    closed[page.CHOSEN] = closed[min(inner, key=lambda method: inner[method])]
    auto = AutoRanker(random_state=0).fit(known[0], known[1], values=known[2])
    closed[page.AUTO] = 1 - lost(drawn.values_new, auto.predict(drawn.X_new)) / gap
    print(f"{drawn.name}: {closed[page.DEFAULT]:.3f}", flush=True)
    return [[drawn.name, method, share, within] for method, share in closed.items()]


if __name__ == "__main__":
    main()
