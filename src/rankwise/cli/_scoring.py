"""What `evaluate` computes: scores of a learner over folds, or of a model over new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._naming import name_some, rows_called
from rankwise._progress import Progress
from rankwise.baselines import Consensus
from rankwise.cli._console import note
from rankwise.cli._reading import fitted_table
from rankwise.cli._rows import check_enough_rows, counted_rows, usable_rows, useful_rows
from rankwise.cli._source import Source
from rankwise.datasets import Dataset
from rankwise.models import TableModel
from rankwise.validation import (
    METRICS,
    Costs,
    CrossValidation,
    FoldPlan,
    cross_validate,
    plan_folds,
    summarize,
    without_costly_ties,
)


def score_learner(
    data: Dataset,
    make: Callable[[], Any],
    *,
    folds: int | None,
    repeats: int | None,
    seed: int,
    fill: bool = False,
    by_cost: bool = False,
    top: int = 3,
) -> dict[str, Any]:
    """Return mean, sd and interval of every metric, of the learner and of the consensus."""
    data = usable_rows(data)
    plan = plan_folds(data, folds, repeats)
    check_enough_rows(data, plan)
    if plan.is_own:
        note(f"{plan} are used; say --folds to draw others")
    found, floor = validate_beside_floor(
        data, make, plan, seed=seed, fill=fill, by_cost=by_cost, top=top
    )
    scores = {"prediction": found.summaries(), "floor": floor.summaries()}
    scores |= {who: found.summaries(who) for who in found.references}
    about = {"folds": plan.sizes[0], "repeats": len(plan.sizes), "plan": str(plan)}
    about |= {"own_folds": plan.is_own} | _about_costs(data, top)
    return {"rows": len(data), **about, "scores": scores}


def _about_costs(data: Dataset, top: int) -> dict[str, Any]:
    if not data.has_costs:
        return {}
    facts = {"unit": data.unit, "cutoff": data.cutoff, "penalty": data.penalty}
    return {"higher_is_better": data.higher_is_better, "top": top, **facts}


def validate_beside_floor(
    data: Dataset,
    make: Callable[[], Any],
    plan: FoldPlan,
    *,
    seed: int,
    keep: Mapping[str, Any] | None = None,
    fill: bool = False,
    by_cost: bool = False,
    top: int = 3,
) -> tuple[CrossValidation, CrossValidation]:
    """Cross-validate a learner and, on the same folds, the consensus, which reads no features."""
    known: dict[str, Any] = {"cv": plan.splits(data, seed), "sample_weight": data.weights}
    known["costs"] = Costs.of(data, top)

    def validate(ranker: Any, **more: Any) -> CrossValidation:
        with rows_called(data.row_titles):
            return cross_validate(ranker, data.features, data.ranks, **known, **more)

    with Progress("folds", len(known["cv"])) as progress:
        found = validate(
            lambda _: without_costly_ties(make(), known["costs"]),
            keep=keep,
            fill=fill,
            by_cost=by_cost,
            each_fold=progress.advance,
        )
    return found, validate(without_costly_ties(Consensus(), known["costs"]))


def score_model(model: TableModel, source: Source, top: int = 3) -> dict[str, Any]:
    """Return the same for a fitted model on the rows of a file, over rows."""
    X, data = read_for_model(model, source)
    if data.sha256 and data.sha256 == model.facts.get("sha256"):
        note(
            "the model was fitted to this very file, so that the figures flatter it; leave --model out "
            "to cross-validate"
        )
    if not useful_rows(data).any():
        raise ValueError(
            f"{source.file}: no row orders two labels, so that there is nothing to score"
        )
    useful = counted_rows(data)
    data = data.take(useful)
    Y = data.ranks
    consensus = np.asarray(model.facts.get("consensus", ()))
    if consensus.shape != (Y.shape[1],):
        raise ValueError("the model does not hold its consensus; fit it anew with `rankwise fit`")
    predictions = {
        "prediction": model.predict(X[useful]).ranks,
        "floor": np.tile(consensus, (len(Y), 1)),
    }
    scores = {
        who: {
            name: summarize(metric(Y, ranks, average=False), measure=name)
            for name, metric in METRICS.items()
        }
        for who, ranks in predictions.items()
    }
    costs, single = Costs.of(data, top), np.asarray(model.facts.get("single_best", ()))
    about: dict[str, Any] = {}
    if costs is not None and single.shape == (Y.shape[1],):
        about = _about_costs(data, top)
        for who, figures in costs.of_rows(predictions, single).items():
            summaries = {
                metric: summarize(rows.tolist(), measure=metric) for metric, rows in figures.items()
            }
            scores[who] = scores.get(who, {}) | summaries
    return {"rows": len(Y), "folds": None, "repeats": None, **about, "scores": scores}


def read_for_model(model: TableModel, source: Source) -> tuple[np.ndarray, Dataset]:
    """Read a file by the columns and labels of a model; returns its features, and the rankings."""
    data = source.read(like=fitted_table(model))
    features = model.recipe.feature_names
    # A file is read by the recipe; the features of a benchmark may stand in another order.
    X = data.features[:, _places(source, data.feature_names, features, "feature")]
    places = _places(source, data.label_names, model.label_names, "label")
    cells: dict[str, Any] = {
        name: part if part is None else part[:, places]
        for name in ("values", "spread", "replicates")
        for part in (getattr(data, name),)
    }
    cells["Y"] = data.ranks[:, places]
    strange = set(data.label_names) - set(model.label_names)
    if strange:
        raise ValueError(
            f"{source.file} has the label {min(strange)!r}; the model ranks "
            f"{', '.join(model.label_names)}"
        )
    return X, replace(data, **cells, label_names=model.label_names)


def _places(source: Source, found: Sequence[str], wanted: Sequence[str], what: str) -> list[int]:
    place = {name: j for j, name in enumerate(found)}
    for name in wanted:
        if name not in place:
            raise ValueError(
                f"{source.file} lacks the {what} {name!r}, which the model was fitted on; it has "
                f"{name_some(found, 20)}"
            )
    return [place[name] for name in wanted]
