"""What `fit` does with rows in parts: a forest within a limit of memory, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._cluster import cluster_client
from rankwise.cli._console import note

if TYPE_CHECKING:
    from rankwise.cli._source import Source
    from rankwise.models import TableModel

# Rows that a tree draws where nobody says, of more than that.
USUAL_ROWS = 100_000

Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Rows are read in parts, within so much memory, such as '4 GB' (default for several "
        "files: half of what there is).",
    ),
]
RowsPerTree = Annotated[
    int | None,
    typer.Option(
        "--rows-per-tree",
        help="Rows that each tree of a forest draws (default: as many as there are; several files: "
        "100,000 at most).",
        min=1,
    ),
]


def is_in_parts(source: Source, memory: str | None) -> bool:
    """Whether all rows need not fit into memory: several files, or where the user says so."""
    # Imported here, as in all of this module: help needs no numpy.
    from rankwise.datasets import available
    from rankwise.parts.steps import is_pattern

    if memory is not None:
        return True
    if source.path.is_dir():
        return not (source.path / "description.txt").exists()
    return (
        is_pattern(source.file)
        and not source.path.exists()
        and source.file.lower() not in available()
    )


def grows_in_parts(make: Callable[[], Any]) -> bool:
    """Whether a learner takes rows in parts."""
    from rankwise.forest import ForestRanker

    return type(make()) is ForestRanker


def fit_in_parts(
    source: Source,
    make: Callable[[], Any],
    *,
    learner: str,
    memory: str | None,
    cluster: str | None,
) -> TableModel:
    """Fit a forest to rows in parts; what is measured is measured on rows that trees left out."""
    from rankwise.cli._reading import reading_of_layout
    from rankwise.models import TableModel
    from rankwise.parts.steps import LocalRunner
    from rankwise.ranker import Certainty, fit_certainty

    if not grows_in_parts(make):
        raise ValueError(
            f"--learner {learner} learns from rows in memory, and several files are read in parts; leave "
            "it out, or take 'Forest' or 'RF'"
        )
    forest, parts = make(), source.open_parts()
    for name in parts.recipe.left_out if parts.recipe else ():
        note(
            f"column {name!r} names or counts the rows, or is empty in all of them, and is left out; name "
            "it in --features to keep it"
        )
    if forest.max_samples is None:
        forest.set_params(max_samples=min(parts.n_rows, USUAL_ROWS))
    client = cluster_client(cluster)
    if client is None:
        left_out = forest._fit_parts(parts, LocalRunner(-1, memory))
    else:
        from rankwise.dask import DaskRunner

        with client:
            left_out = forest._fit_parts(parts, DaskRunner(client))
    certainty, check, consensus = Certainty(), None, None
    if left_out is not None:
        left_out = left_out.with_pairs()
        certainty = fit_certainty(left_out.shares, left_out.ranks, left_out.true)
        check, consensus = _check(left_out)
    facts: dict[str, Any] = {
        "learner": learner,
        "rows": parts.n_rows,
        "features": parts.n_features,
        "check": check,
        "sha256": None,
        "reading": reading_of_layout(parts.reading),
    }
    if consensus is not None:
        facts["consensus"] = consensus
    assert parts.recipe is not None
    assert parts.label_names is not None
    return TableModel(forest, parts.recipe, parts.label_names, certainty, facts)


def _check(left_out: Any) -> tuple[dict[str, Any], list[int]]:
    """What was measured on rows that trees left out, and the consensus that it stands beside."""
    import numpy as np

    from rankwise.consensus import borda
    from rankwise.metrics import kendall_tau, tau_x
    from rankwise.validation import summarize

    consensus = borda(left_out.true, sample_weight=left_out.weights)
    floor = np.tile(consensus, (len(left_out.true), 1))

    def summary(ranks: Any) -> dict[str, Any]:
        found = {}
        for name, measure in (("tau", kendall_tau), ("tau_x", tau_x)):
            rows = np.asarray(measure(left_out.true, ranks, average=False))
            found[name] = summarize(rows[~np.isnan(rows)].tolist())
        return found

    check: dict[str, Any] = {"folds": None, "measure": "tau", "lost_at_most": None}
    check |= {"prediction": summary(left_out.ranks), "floor": summary(floor)}
    return check, consensus.tolist()
