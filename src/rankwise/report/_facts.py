"""What a report tells, as numbers and objects; the page only lays it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.audits import Audit
from rankwise.datasets import Dataset
from rankwise.explanations import Explanation, column_effects, explain, in_recipe
from rankwise.forest import ForestRanker
from rankwise.metrics import kendall_tau
from rankwise.models import TableModel
from rankwise.report._held_out import Bin, HeldOutRows, Pair
from rankwise.theory import Report, diagnose
from rankwise.validation import cross_validate, draw_folds, quiet

# Of `gather`.
N_STEPS = 4
# Rows whose cells are exchanged between each other to see which columns decide.
EFFECT_ROWS, EFFECT_CELLS = 200, 20_000
# The curve: shares of the rows that are learned from, folds, trees, and the most rows.
SHARES, FOLDS, TREES, CURVE_ROWS = (0.25, 0.5, 1.0), 3, 50, 3000
LEAST_CURVE_ROWS = 24
# Beyond these the conditions of the theorems take longer than they tell here.
THEORY_ROWS, THEORY_FEATURES = 1000, 60


@dataclass(frozen=True)
class ExplainedRow:
    """A row that was left out: what was predicted, what was observed, and why."""

    kind: str  # "sure", "unsure" or "typical"
    title: str
    predicted: str
    observed: str
    first: str
    second: str
    chance: float
    came_true: bool | None  # None where the row does not order the two
    explanation: Explanation


@dataclass(frozen=True)
class Point:
    """What a forest reaches that learned from so many rows."""

    rows: int
    tau: float


@dataclass(frozen=True)
class Facts:
    """All that a report tells."""

    file: str
    data: Dataset
    audit: Audit
    model: TableModel
    held: HeldOutRows
    bins: list[Bin]
    pairs: list[Pair]
    columns: tuple[str, ...]
    effects: NDArray[np.float64]  # (n_labels, n_columns)
    rows: list[ExplainedRow]
    curve: list[Point]
    theory: Report | None
    commands: Sequence[tuple[str, str]] = ()

    @property
    def board(self) -> Any:
        """The leaderboard, where many learners were tried; else None."""
        return getattr(self.model.ranker, "leaderboard_", None)


def gather(
    file: str,
    data: Dataset,
    audit: Audit,
    model: TableModel,
    held: HeldOutRows,
    *,
    commands: Sequence[tuple[str, str]] = (),
    each_step: Callable[[str], None] = lambda _: None,
) -> Facts:
    """Work out what a report tells.

    Parameters
    ----------
    file : str
        What the data is called.
    data : Dataset
        All of it.
    audit : Audit
        Of the data.
    model : TableModel
        Fitted to it, with its check.
    held : HeldOutRows
        What was predicted of rows left out.
    commands : sequence of (str, str)
        What one may want to do next, and the command that does it.
    each_step : callable
        Gets the name of each step before it begins.

    Returns
    -------
    Facts
    """
    each_step("which columns decide")
    columns, effects = _effects(model, held)
    each_step("three rows")
    rows = _explained_rows(model, held)
    each_step("would more rows help?")
    curve = _curve(held.data)
    each_step("conditions of the theorems")
    conditions = _conditions(held.data)
    return Facts(
        file=file,
        data=data,
        audit=audit,
        model=model,
        held=held,
        bins=held.reliability(),
        pairs=held.pairs(),
        columns=columns,
        effects=effects,
        rows=rows,
        curve=curve,
        theory=conditions,
        commands=commands,
    )


def _effects(model: TableModel, held: HeldOutRows) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """How many places each column moves each label, the columns that move most first."""
    groups, start = [], 0
    for column in model.recipe.columns:
        groups.append(range(start, start + len(column.features)))
        start += len(column.features)
    n = min(len(held.data), EFFECT_ROWS, max(20, EFFECT_CELLS // max(1, len(groups))))
    spaced = np.unique(np.linspace(0, len(held.data) - 1, n).round().astype(int))
    found = column_effects(
        lambda X: np.asarray(model.ranker.predict_positions(model.frame(X))),
        held.data.features[spaced],
        groups,
    )
    order = np.argsort(-found.mean(axis=0), kind="stable")
    return tuple(model.recipe.columns[j].name for j in order), found[:, order]


def chosen_rows(chances: NDArray[np.float64]) -> dict[str, int]:
    """Choose a sure row, an unsure one and one in the middle, all different.

    Examples
    --------
    >>> chosen_rows(np.array([0.7, 0.95, 0.5, 0.8]))
    {'sure': 1, 'unsure': 2, 'typical': 0}
    """
    order = np.argsort(np.abs(chances - 0.5), kind="stable")
    found = {"sure": int(order[-1])}
    if len(order) > 1:
        found["unsure"] = int(order[0])
    if len(order) > 2:
        found["typical"] = int(order[(len(order) - 1) // 2])
    return found


def _explained_rows(model: TableModel, held: HeldOutRows) -> list[ExplainedRow]:
    data, names = held.data, list(held.data.label_names)
    chances, order, titles = held.first_before_second(), held.order(), data.row_titles()
    each = np.arange(len(order))
    gaps = data.ranks[each, order[:, 1]] - data.ranks[each, order[:, 0]]
    # of those that tell whether it came true, where there are enough
    telling = np.flatnonzero(~np.isnan(gaps) & (gaps != 0))
    among = telling if len(telling) > 2 else each
    explained = []
    for kind, place in chosen_rows(chances[among]).items():
        i = int(among[place])
        first, second = order[i, :2]
        gap = gaps[i]
        why = explain(
            model.ranker,
            model.frame(data.features[[i]]),
            names[first],
            names[second],
            X=_compared(model, data),
            leaf_rows=model.facts.get("leaf_rows"),
        )
        explained.append(
            ExplainedRow(
                kind=kind,
                title=titles[i],
                predicted=ranking_text(held.ranks[i], names),
                observed=ranking_text(data.ranks[i], names),
                first=names[first],
                second=names[second],
                chance=float(chances[i]),
                came_true=None if np.isnan(gap) or gap == 0 else bool(gap > 0),
                explanation=in_recipe(why, model.ranker, model.recipe, data.features[[i]]),
            )
        )
    return explained


def ranking_text(ranks: NDArray[Any], labels: Sequence[str]) -> str:
    """Write a ranking for people, who read long names better with room between them.

    Examples
    --------
    >>> ranking_text(np.array([2.0, 1.0, np.nan, 2.0]), ["tea", "coffee", "water", "milk"])
    'coffee > tea ~ milk'
    """
    known = sorted(np.unique(ranks[~np.isnan(ranks)]).tolist())
    buckets = (
        [name for name, at in zip(labels, ranks, strict=True) if at == rank] for rank in known
    )
    return " > ".join(" ~ ".join(bucket) for bucket in buckets)


def _compared(model: TableModel, data: Dataset) -> Any:
    """Rows to compare with, for rankers that keep none of their own."""
    ranker = model.ranker
    alone = hasattr(ranker, "comparison_rows_") or hasattr(ranker, "feature_importances_")
    return None if alone else model.frame(data.features)


def _curve(data: Dataset) -> list[Point]:
    """What a forest reaches on rows left out by the rows that it learned from; [] where they are few."""
    n = min(len(data), CURVE_ROWS)
    if n < LEAST_CURVE_ROWS or (data.groups is not None and len(set(data.groups)) < FOLDS):
        return []
    kept = data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:n]))
    points = []
    for share in SHARES:
        folds = [
            (train[: max(2, round(share * len(train)))], test) for train, test in _shuffled(kept, n)
        ]
        with quiet():
            found = cross_validate(
                ForestRanker(n_estimators=TREES, random_state=0),
                kept.features,
                kept.ranks,
                cv=folds,
                sample_weight=kept.weights,
                metrics={"tau": kendall_tau},
            )
        tau = float(np.nanmean(found.scores["tau"]))
        points.append(Point(round(float(np.mean([len(train) for train, _ in folds]))), tau))
    return points


def _shuffled(data: Dataset, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    folds = draw_folds(n, FOLDS, groups=data.groups)
    return [(rng.permutation(train), test) for train, test in folds]


def _conditions(data: Dataset) -> Report | None:
    """The conditions of the theorems; None where the features have gaps or are very many."""
    if data.n_features > THEORY_FEATURES or not np.isfinite(data.features).all():
        return None
    rows = np.unique(np.linspace(0, len(data) - 1, THEORY_ROWS).round().astype(int))
    X, Y = data.X.iloc[rows], data.Y.iloc[rows]
    try:
        with quiet():
            return diagnose(X, Y, progress=False)
    except ValueError:
        return None  # too few rows to divide, of which the audit speaks
