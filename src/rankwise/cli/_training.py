"""What `fit` computes: a model, of data with the recipe of its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._naming import rows_called
from rankwise.auto import FLOOR, AutoRanker, interval
from rankwise.cli._reading import reading_of
from rankwise.cli._rows import check_enough_rows, usable_rows
from rankwise.cli._scoring import validate_beside_floor
from rankwise.cli._words import lost_at_most
from rankwise.consensus import borda
from rankwise.datasets import Dataset
from rankwise.explanations import leaf_rows
from rankwise.metrics import kendall_tau, tau_x
from rankwise.models import TableModel
from rankwise.ranker import Certainty, fit_certainty
from rankwise.report import HeldOutRows
from rankwise.tables import TableRanker
from rankwise.tree import BaseTreeRanker
from rankwise.validation import SHARES, Costs, plan_folds

# Of the check, where nothing else is said.
USUAL_FOLDS = 5


def fit_table_model(
    training: Dataset,
    make: Callable[[], Any],
    *,
    learner: str,
    folds: int | None,
    seed: int,
    fill: bool = False,
    by_cost: bool = False,
) -> tuple[TableModel, HeldOutRows | None]:
    """Check on held-out rows, fit certainty to them, and fit the ranker to all rows.

    Returns the model, and what was predicted of the held-out rows; None without a check.
    """
    data = usable_rows(training)
    certainty, check, held = Certainty(), None, None
    ranker = make()
    # it leaves rows out itself, for choosing and for certainty
    checks_itself = isinstance(ranker, AutoRanker) and folds is None
    if folds != 0 and not checks_itself:
        plan = plan_folds(data, folds, usual=USUAL_FOLDS)
        check_enough_rows(data, plan)
        found, floor = validate_beside_floor(
            data, make, plan, seed=seed, keep=SHARES, fill=fill, by_cost=by_cost
        )
        asked = ~np.isnan(found.ranks).any(axis=1)
        held = HeldOutRows(
            data.take(asked),
            found.ranks[asked].astype(np.int64),
            found.kept["shares"][asked],
            floor.ranks[asked],
        )
        certainty = fit_certainty(held.shares, held.ranks, held.data.ranks)
        check = {
            "folds": plan.sizes[0],
            "prediction": found.summaries(),
            "floor": floor.summaries(),
            "lost_at_most": lost_at_most(data, found.ranks),
        }
    # A row of one label tells what it costs, and nothing of an order.
    data = data.take((~np.isnan(data.ranks)).sum(axis=1) > 1)
    if checks_itself:
        values = data.values if by_cost else None
        with rows_called(data.row_titles):
            left_out = ranker.fit_left_out(data.X, data.Y, data.weights, data.groups, values)
        held = HeldOutRows(data.take(left_out.rows), *left_out[1:])
        table = TableRanker.of(ranker, data.columns_recipe())
        certainty, check = replace(ranker.certainty_, slope=1.0), _own_check(ranker, held)
    else:
        with rows_called(data.row_titles):
            table = TableRanker(ranker).fit_dataset(data, values=data.values if by_cost else None)
    ranker, means = table.ranker_, table.gap_means_
    facts = {
        "learner": learner,
        "rows": len(data),
        "features": data.n_features,
        "check": check,
        "consensus": borda(data.ranks, sample_weight=data.weights).tolist(),
        "sha256": training.sha256 or None,
        "reading": reading_of(training),
    }
    costs = Costs.of(data)
    if costs is not None:
        facts["single_best"] = costs.single_best(np.arange(len(data))).tolist()
        facts["unit"] = data.unit
    if means is not None:
        facts["gap_means"] = means.tolist()
    if isinstance(ranker, BaseTreeRanker):
        # What `explain` compares a row with, whether the training rows are at hand or not.
        facts["leaf_rows"] = leaf_rows(ranker, data.features)
    return TableModel(ranker, table.recipe_, data.label_names, certainty, facts), held


def _own_check(ranker: AutoRanker, held: HeldOutRows) -> dict[str, Any]:
    """What an AutoRanker measured on the rows that it left out to choose."""
    board = ranker.leaderboard_
    floor = next(standing for standing in board if standing.learner == FLOOR)
    chosen = next(standing for standing in board if standing.weight == 1)
    name = "tau" if board.measure == "kendall_tau" else board.measure
    check: dict[str, Any] = {
        who: {name: _summary((standing.tau, standing.low, standing.high))}
        for who, standing in (("prediction", chosen), ("floor", floor))
    }
    costs = Costs.of(held.data)
    if costs is not None:
        # beside what decided, as of any other learner
        name = "tau"
        single = costs.single_best(np.arange(len(held.data)))
        answers = {"prediction": held.ranks.astype(np.float64), "floor": held.floor}
        lost = costs.of_rows(answers, single)
        for who, ranks in answers.items():
            for measure, of in (("tau", kendall_tau), ("tau_x", tau_x)):
                check[who][measure] = _over_rows(of(held.data.ranks, ranks, average=False))
            check[who]["regret"] = _over_rows(lost[who]["regret"])
    lost_by_most = lost_at_most(held.data, held.ranks.astype(np.float64))
    return {"folds": None, "measure": name, "lost_at_most": lost_by_most, **check}


def _over_rows(values: Any) -> dict[str, float | None]:
    return _summary(interval(np.asarray(values), np.ones(len(values)), -np.inf, np.inf))


def _summary(found: tuple[float, float, float]) -> dict[str, float | None]:
    mean, low, high = (None if np.isnan(number) else number for number in found)
    return {"mean": mean, "sd": None, "low": low, "high": high}
