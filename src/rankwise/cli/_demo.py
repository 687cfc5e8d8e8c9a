"""``rankwise demo``: the main job from end to end, on data that the package makes itself."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import make_console, note, print_json, print_table
from rankwise.cli._options import AsJson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankwise.datasets import Dataset

EXAMPLES = (
    "rankwise demo",
    "rankwise demo --rows 2000 --output /tmp/demo",
)

_N_ROWS = 600
_INTRODUCTION = (
    "Made up: {n} days with 8 features; six outings, ranked best first. Each row ranks some of "
    "them only, and moods add noise. The first run on a machine compiles the learner, which takes "
    "some seconds; later runs start at once."
)
_NEXT = """\
Next:
  rankwise audit {file}
  rankwise audit yours.csv --labels a,b,c
  rankwise --help

In Python:
  from rankwise.datasets import read
  from rankwise.forest import ForestRanker
  X, Y = read("{file}")
  forest = ForestRanker(random_state=0).fit(X, Y)
  forest.predict(X[:3])             # ranks, 1 = first
  forest.predict_pairwise(X[:3])    # share of trees for one label before another"""


def demo_command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the data and the pictures.")
    ] = Path("rankwise-demo"),
    rows: Annotated[int, typer.Option("--rows", "-n", help="Rows to make up.", min=50)] = _N_ROWS,
    seed: Annotated[int, typer.Option(help="The same seed gives the same demo.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Make up an incomplete, noisy problem, audit it, learn it, predict, and draw two pictures."""
    # Imported here, so that help needs no numpy.
    from rankwise.audits import audit
    from rankwise.cli._demo_job import cross_validate, make_forest, predict_rows, rows_to_show
    from rankwise.cli._demo_problem import draw_outings, drop_idle_rows

    tell = _silent if as_json else make_console().print
    dataset = draw_outings(rows, seed)
    data = _write_data(dataset, output)
    tell(_INTRODUCTION.format(n=rows), markup=False)
    _tell_step(tell, 1, f"Audit ({data})")
    report = audit(dataset.X, dataset.Y, labels=dataset.label_names, features=dataset.feature_names)
    tell(report)
    useful = drop_idle_rows(dataset)
    tell(f"{rows - len(useful)} rows that rank fewer than two labels are left out from here.")
    _tell_step(tell, 2, "Ten-fold cross-validation of a forest")
    with _progress_of_folds() as each_fold:
        taus = cross_validate(useful, seed, each_fold)
    if not as_json:
        _print_taus(taus)
    _tell_step(tell, 3, "Predictions for three new days, by a forest fitted to all rows")
    model = make_forest(seed).fit(useful.X, useful.Y)
    # New days: on rows that it was fitted to, a forest is surer than it should be.
    new = draw_outings(rows, seed + 1)
    predictions = predict_rows(model, new, rows_to_show(new))
    if not as_json:
        _print_predictions(predictions)
    _tell_step(tell, 4, "Pictures")
    pictures = _draw(model, new, predictions[0], output)
    for picture in pictures:
        tell(str(picture), markup=False)
    tell("\n" + _NEXT.format(file=data), markup=False)
    if as_json:
        print_json(
            {
                "audit": report.to_dict(),
                "tau": {name: _mean_and_sd(values) for name, values in taus.items()},
                "predictions": predictions,
                "files": [str(path) for path in (data, *pictures)],
            }
        )


def _silent(*_: Any, **__: Any) -> None:
    pass


def _tell_step(tell: Callable[..., None], number: int, title: str) -> None:
    tell(f"\n{number}. {title}", style="bold", markup=False)


def _write_data(dataset: Dataset, folder: Path) -> Path:
    from rankwise.datasets import write

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "outings.csv"
    write(dataset, path)
    return path


@contextmanager
def _progress_of_folds() -> Iterator[Callable[[], None]]:
    """Show a bar on stderr, on terminals only."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from rankwise.cli._demo_job import N_FOLDS

    with Progress(
        TextColumn("fold {task.completed} of {task.total}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=make_console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        task = progress.add_task("folds", total=N_FOLDS)
        yield lambda: progress.advance(task)


def _mean_and_sd(values: list[float]) -> dict[str, float]:
    return {"mean": statistics.fmean(values), "sd": statistics.stdev(values)}


def _print_taus(taus: dict[str, list[float]]) -> None:
    meaning = {
        "consensus": "one Borda ranking for all: the floor",
        "forest": "learned from the features",
        "truth": "the rule behind the data: noise allows no more",
    }
    rows = []
    for name, what in meaning.items():
        tau = _mean_and_sd(taus[name])
        rows.append((name, f"{tau['mean']:.3f} ± {tau['sd']:.3f}", what))
    print_table(["", "Kendall's tau", ""], rows)


def _print_predictions(predictions: list[dict[str, Any]]) -> None:
    rows = [
        (
            prediction["day"],
            " > ".join(prediction["order"]),
            f"{prediction['certainty']:.0%}",
            f"{prediction['true_chance']:.0%}",
        )
        for prediction in predictions
    ]
    print_table(["new day", "predicted", "first beats second", "true chance"], rows)


def _draw(model: Any, dataset: Dataset, prediction: dict[str, Any], folder: Path) -> list[Path]:
    from rankwise.cli._demo_pictures import draw_certainty, draw_positions

    certainty, positions = folder / "certainty.png", folder / "positions.png"
    row = dataset.X[[prediction["row"]]]
    title = f"How sure is the order?\nA new day: {prediction['day']}"
    try:
        shares = model.predict_pairwise(row)[0]
        draw_certainty(shares, dataset.label_names, prediction["order"], title, certainty)
        draw_positions(model.predict(dataset.X), dataset.label_names, positions)
    except ImportError as error:
        note(str(error))
        return []
    return [certainty, positions]
