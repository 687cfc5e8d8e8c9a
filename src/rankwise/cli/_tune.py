"""``rankwise tune``: which parameters suit one learner, tried on rows left out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rankwise.cli._board import print_board
from rankwise.cli._console import note, print_json, say
from rankwise.cli._fit import say_compiling
from rankwise.cli._learners import Seed, check_takes
from rankwise.cli._options import AsJson
from rankwise.cli._source import Source, takes_source, typed

EXAMPLES = (
    "rankwise tune trials.csv --labels maize,millet,sorghum --learner forest",
    "rankwise tune votes.csv --learner pairwise --grid 'C=0.01,0.1,1,10'",
    "rankwise tune iris --learner KNNKemeny --grid 'n_neighbors=3,9; scale=True'",
)


@takes_source
def tune_command(
    *,
    source: Source,
    learner: Annotated[
        str, typer.Option(metavar="NAME", help="The learner; `rankwise learners` lists them.")
    ] = "Forest",
    grid: Annotated[
        str | None,
        typer.Option(
            metavar="'NAME=VALUE,VALUE; NAME=...'",
            help="Which values to try (default: the learner's own list).",
        ),
    ] = None,
    time_budget: Annotated[
        float | None, typer.Option(help="Seconds that it may take, roughly.", min=0.1)
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Try the parameters of one learner on rows left out, and say which are best.

    Where the file holds values, such as yields or seconds, those are best whose
    choices cost least, as in `fit`; elsewhere those whose rankings are nearest.
    All combinations are tried on the same rows, on part of them first where there
    are many. What is best of many by chance looks better than it is: `evaluate`
    with the parameters that were found tells on other folds.
    """
    # Imported here, so that help needs no numpy.
    import numpy as np

    from rankwise._naming import rows_called
    from rankwise.auto import FLOOR, MIXTURE, AutoRanker
    from rankwise.cli._rows import usable_rows
    from rankwise.learners import find_learner

    texts = find_learner(learner).variants(grid)
    say_compiling()
    data = source.read()
    check_takes(learner, data)
    data = usable_rows(data)
    # A row of one label tells what it costs, and nothing of an order.
    data = data.take((~np.isnan(data.ranks)).sum(axis=1) > 1)
    search = AutoRanker(time_budget, texts, refit=False, n_jobs=-1, random_state=seed, verbose=1)
    with rows_called(data.row_titles):
        search.fit(
            data.X,
            data.Y,
            sample_weight=data.weights,
            groups=data.groups,
            values=data.values if data.has_costs else None,
        )
    board = search.leaderboard_
    tried = [standing for standing in board if standing.learner != MIXTURE]
    best = next((s.learner for s in tried if s.learner != FLOOR), None)
    if as_json:
        found = {"file": source.file, "measure": board.measure, "best": best}
        print_json({**found, "tried": [asdict(s) for s in tried]})
        return
    print_board(board, without=[MIXTURE], columns_without=["weight"])
    if best is not None:
        by_name = {standing.learner: standing.tau for standing in tried}
        if round(by_name[best], 3) <= round(by_name[FLOOR], 3):
            note("no parameters do better than one consensus ranking for all rows")
        words = ["rankwise", "fit", *source.words(), "--learner", best]
        say(f"Next: {typed(words)}")
