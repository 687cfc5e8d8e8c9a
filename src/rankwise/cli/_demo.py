"""``rankwise demo``: the main job from end to end, on data that the package makes itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import make_console, note, print_json, print_table
from rankwise.cli._options import AsJson

if TYPE_CHECKING:
    from rankwise.datasets import Dataset

EXAMPLES = (
    "rankwise demo",
    "rankwise demo --rows 2000 --output /tmp/demo",
)

_N_ROWS = 600
_INTRODUCTION = (
    "Made up: {n} days with 8 features; six outings, ranked best first. Each row ranks some of "
    "them only, and moods add noise. The first run on a machine compiles the learners, which takes "
    "up to a minute; later runs start at once."
)
_NEXT = """\
Next:
  rankwise audit {file}
  rankwise audit yours.csv --labels a,b,c
  rankwise --help

In Python:
  from rankwise import AutoRanker
  from rankwise.datasets import read
  X, Y = read("{file}")
  model = AutoRanker(random_state=0).fit(X, Y)
  model.predict(X[:3])             # ranks, 1 = first
  model.predict_pairwise(X[:3])    # chances of one label before another"""


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
    from rankwise.cli._demo_job import make_ranker, predict_rows, rows_to_show, taus_of
    from rankwise.cli._demo_problem import draw_outings, drop_idle_rows

    show = _silent if as_json else make_console().print
    dataset = draw_outings(rows, seed)
    data = _write_data(dataset, output)
    show(_INTRODUCTION.format(n=rows), markup=False)
    _show_step(show, 1, f"Audit ({data})")
    report = audit(dataset.X, dataset.Y, rows=dataset.row_titles())
    show(report)
    useful = drop_idle_rows(dataset)
    show(f"{rows - len(useful)} rows that rank fewer than two labels are left out from here.")
    _show_step(show, 2, "Learners are tried on rows left out, and the best are mixed")
    model = make_ranker(seed).fit(useful.features, useful.ranks)
    taus = taus_of(model, useful)
    if not as_json:
        _print_taus(taus)
    show(model.reason_ + ".", markup=False)
    _show_step(show, 3, "Predictions for three new days, with their chances")
    new = draw_outings(rows, seed + 1)
    predictions = predict_rows(model, new, rows_to_show(new))
    if not as_json:
        _print_predictions(predictions)
    _show_step(show, 4, "Pictures")
    pictures = _draw(model, new, predictions[0], output)
    for picture in pictures:
        show(str(picture), markup=False)
    show("\n" + _NEXT.format(file=data), markup=False)
    if as_json:
        print_json(
            {
                "audit": report.to_dict(),
                "tau": taus,
                "chosen": model.chosen_,
                "predictions": predictions,
                "files": [str(path) for path in (data, *pictures)],
            }
        )


def _silent(*_: Any, **__: Any) -> None:
    pass


def _show_step(show: Callable[..., None], number: int, title: str) -> None:
    show(f"\n{number}. {title}", style="bold", markup=False)


def _write_data(dataset: Dataset, folder: Path) -> Path:
    from rankwise.datasets import write

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "outings.csv"
    write(dataset, path)
    return path


def _print_taus(taus: dict[str, float]) -> None:
    meaning = {
        "consensus": "one Borda ranking for all: the floor",
        "chosen": "learned from the features",
        "truth": "the rule behind the data: noise allows no more",
    }
    rows = [(name, f"{taus[name]:.3f}", what) for name, what in meaning.items()]
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
    print_table(["new day", "predicted", "chance: first beats second", "true chance"], rows)


def _draw(model: Any, dataset: Dataset, prediction: dict[str, Any], folder: Path) -> list[Path]:
    from rankwise.cli._demo_pictures import draw_certainty, draw_positions

    certainty, positions = folder / "certainty.png", folder / "positions.png"
    row = dataset.features[[prediction["row"]]]
    title = f"How sure is the order?\nA new day: {prediction['day']}"
    try:
        chances = model.predict_pairwise(row)[0]
        draw_certainty(chances, dataset.label_names, prediction["order"], title, certainty)
        draw_positions(model.predict(dataset.features), dataset.label_names, positions)
    except ImportError as error:
        note(str(error))
        return []
    return [certainty, positions]
