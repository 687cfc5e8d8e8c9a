"""``rankwise compare``: methods over data sets by cross-validation, with tests and pictures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise._paths import checked_path
from rankwise.cli._cluster import connected
from rankwise.cli._compare_files import FORMATS, finite, named_tables, write_comparison
from rankwise.cli._console import make_console, note, print_json, print_table, say
from rankwise.cli._options import (
    AsJson,
    Columns,
    Cutoff,
    Drop,
    Features,
    Groups,
    HigherIsBetter,
    Labels,
    Nominal,
    Penalty,
    Replicates,
    Sheet,
    Top,
    Unit,
    Within,
    split_names,
)
from rankwise.cli._source import Source

if TYPE_CHECKING:
    from rankwise.datasets import Dataset
    from rankwise.validation import Comparison, Friedman, ResultTable

EXAMPLES = (
    "rankwise compare drinks.csv --labels tea,coffee,water -m 'RF,RF(max_depth=5)'",
    "rankwise compare --methods RPC,LRT,RF --datasets iris,glass,wine",
    "rankwise compare -m all -d all --missing 0,0.3,0.6 --jobs -1 --out comparison",
    "rankwise compare -m RF,my_module:MyRanker -d iris --format latex",
)

_USUAL_METHODS = "Consensus,RPC,LRT,KNNKemeny,RF"
_ONE = (
    "One data set: whether methods differ is tested over several of them (Friedman from 2 on, Wilcoxon "
    "from 6 on). For one, `rankwise evaluate --learner NAME` gives intervals."
)
_USUAL_FOLDER = Path("rankwise-compare")

Methods = Annotated[
    str,
    typer.Option(
        "--methods",
        "--learners",
        "-m",
        metavar="A,B,C",
        help="Methods by name, with parameters as in 'RF(n_estimators=200)', your own as "
        "MODULE:NAME, or all (but KernelRidgeKemeny, which is for small data, and Forest, for which "
        "RF stands); `rankwise learners` lists them.",
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", help="Data files, or the names of benchmarks."),
]
Datasets = Annotated[
    str | None,
    typer.Option(
        "--datasets",
        "-d",
        metavar="A,B,C",
        help="The same as a list, or all (the paper's 21 benchmarks).",
    ),
]
Missing = Annotated[
    str, typer.Option(metavar="RATES", help="Shares of training labels to delete: 0,0.3,0.6.")
]
Out = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for results; a stopped run continues there.")
]
Formats = Annotated[
    str, typer.Option("--format", metavar="A,B", help="Of the tables: csv, json, latex, markdown.")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Folds at a time; -1 for all cores.")]
Backend = Annotated[
    str | None,
    typer.Option(
        help="Of joblib: threading (default), loky (processes) or dask, which takes the cluster that "
        "DASK_SCHEDULER_ADDRESS names."
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same folds and deletions.")]


def compare_command(
    files: Files = None,
    datasets: Datasets = None,
    methods: Methods = _USUAL_METHODS,
    folds: Annotated[
        int | None,
        typer.Option(help="Folds of the cross-validation (default: the data's own, or 10)."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="How often it is made, with other folds (default: once).")
    ] = None,
    missing: Missing = "0",
    out: Out = _USUAL_FOLDER,
    formats: Formats = "csv,json,latex,markdown",
    jobs: Jobs = 1,
    backend: Backend = None,
    seed: Seed = 0,
    top: Top = 3,
    labels: Labels = None,
    features: Features = None,
    drop: Drop = None,
    nominal: Nominal = None,
    sheet: Sheet = None,
    column: Columns = None,
    groups: Groups = None,
    higher_is_better: HigherIsBetter = None,
    unit: Unit = None,
    cutoff: Cutoff = None,
    penalty: Penalty = None,
    replicates: Replicates = None,
    within: Within = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods by cross-validation: Kendall's tau, times, and what is more than chance.

    Exit code: 0 if every fold has a result, 1 if one failed, 2 if the
    input is bad. A run that was stopped, in whatever way, continues where it was.
    """
    chosen = _formats(formats)
    rates = _rates(missing)
    # Imported here, so that help needs no numpy.
    from rankwise._progress import Progress, describe_seconds
    from rankwise.validation import compare
    from rankwise.validation.running import describe_environment

    said = {
        "labels": labels,
        "features": features,
        "drop": drop,
        "nominal": nominal,
        "sheet": sheet,
        "column": column,
        "groups": groups,
        "higher_is_better": higher_is_better,
        "unit": unit,
        "cutoff": cutoff,
        "penalty": penalty,
        "replicates": replicates,
        "within": within,
    }
    protocol = {"folds": folds, "repeats": repeats, "missing": rates, "seed": seed, "top": top}
    start = time.monotonic()
    names = [*(files or ()), *_names(datasets or "")]
    if not files and datasets is None:
        raise ValueError("name the data: a file, or benchmarks such as --datasets iris,glass")
    data = [_data(name, said) for name in names]
    if all(isinstance(name, str) for name in data) and any(v is not None for v in said.values()):
        raise ValueError(
            f"{','.join(names)}: no file is among these; options for reading one do not apply"
        )
    with connected(backend), Progress("Comparing", patience=0.0, logs=True) as progress:
        result = compare(
            _methods(methods),
            data,
            **protocol,  # type: ignore[arg-type]
            out=out,
            n_jobs=jobs,
            backend=backend,
            progress=progress.report,
        )
    seconds = time.monotonic() - start
    manifest = describe_environment() | protocol | {
        "methods": result.methods,
        "datasets": result.datasets,
        "plans": result.plans,
        "seconds": round(seconds, 3),
        "folds_computed": len(result.records) + len(result.failures) - result.n_reused,
        "folds_reused": result.n_reused,
        "failures": result.failure_lines(),
    }  # fmt: skip
    written = write_comparison(result, out, chosen, manifest)
    if as_json:
        print_json(_as_json(result, written, manifest))
    else:
        _print(result)
        reused = f", {result.n_reused} folds were there already" if result.n_reused else ""
        say(f"Took {describe_seconds(seconds)}{reused}. Tables and pictures are in {out}")
    for line in result.failure_lines():
        note(line)
    raise typer.Exit(1 if any(not failure.is_refusal for failure in result.failures) else 0)


def _methods(text: str) -> list[str]:
    from rankwise.learners import known_learners, split_learners

    if text.strip().lower() == "all":
        return [learner.name for learner in known_learners() if learner.in_all]
    return split_learners(text)


def _names(text: str) -> list[str]:
    from rankwise.datasets import available

    if text.strip().lower() == "all":
        return list(available("complete"))
    return [name for name in split_names(text) or [] if name]


def _data(name: str, said: dict[str, Any]) -> str | Dataset:
    """A file, read as other commands read it; the name of a benchmark stays a name."""
    return Source(name, **said).read() if checked_path(name).exists() else name


def _rates(text: str) -> list[float]:
    try:
        return [float(rate) for rate in text.split(",")]
    except ValueError:
        raise ValueError(f"--missing {text}: give shares such as 0,0.3,0.6") from None


def _formats(text: str) -> list[str]:
    chosen = [name.strip().lower() for name in text.split(",") if name.strip()]
    for name in chosen:
        if name not in FORMATS:
            raise ValueError(f"--format {name}: known are {', '.join(FORMATS)}")
    return chosen


def _print(result: Comparison) -> None:
    from rankwise.paper import published_table

    console = make_console()
    for rate in result.missing:
        _print_titled(result.tau_table(rate))
        for table in (result.tied_table(rate), result.cost_table(rate)):
            if table is not None:
                _print_titled(table)
        if len(result.scores(rate)) > 1:
            one = len(result.datasets) == 1
            said = [_ONE] if one else [_verdict(result.friedman(rate)), _differences(result, rate)]
            for text in said:
                console.print(text, markup=False, soft_wrap=not console.is_terminal)
            console.print()
    beside = published_table(result)
    if beside is not None:
        _print_titled(beside)
    _print_titled(result.speed_table())


def _print_titled(table: ResultTable) -> None:
    console = make_console()
    console.print(table.title, style="bold", markup=False)
    rows = table.to_rows()
    for block in _blocks([table.columns, *rows], console.width):
        print_table([table.columns[j] for j in block], [[row[j] for j in block] for row in rows])
    for remark in table.notes:
        console.print(remark, markup=False, style="dim", soft_wrap=not console.is_terminal)
    console.print()


def _blocks(lines: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Divide columns into blocks that fit the screen; each begins with the columns that tell rows apart.

    Examples
    --------
    >>> _blocks([["set", "tea", "coffee", "water"], ["a", "0.9", "0.8", "0.7"]], width=24)
    [[0, 1, 2], [0, 3]]
    >>> _blocks([["set", "is", "tea", "coffee"], ["a", "p", "9", "8"], ["a", "q", "9", "8"]], width=20)
    [[0, 1, 2], [0, 1, 3]]
    """
    rows = lines[1:]
    apart = (
        m for m in range(1, len(lines[0])) if len({tuple(row[:m]) for row in rows}) == len(rows)
    )
    heads = list(range(next(apart, 1)))
    # Two blanks and a line, if any, stand between columns.
    widths = [max(len(line[j]) for line in lines) + 3 for j in range(len(lines[0]))]
    blocks = [[*heads]]
    for j in range(len(heads), len(widths)):
        if len(blocks[-1]) > len(heads) and sum(widths[i] for i in (*blocks[-1], j)) > width:
            blocks.append([*heads])
        blocks[-1].append(j)
    return blocks


def _verdict(test: Friedman) -> str:
    remark = f" ({test.note})" if test.note else ""
    if test.statistic != test.statistic:
        return f"No Friedman test: {test.note}."
    return (
        f"Friedman: chi square {test.statistic:.2f}, p = {test.p_value:.2g}{remark}. Average ranks "
        f"further apart than {test.critical_difference:.2f} differ (Nemenyi, {test.alpha:g})."
    )


def _differences(result: Comparison, rate: float) -> str:
    tests = result.wilcoxon(rate)
    found = [test for test in tests if test.p_holm < 0.05]
    if not found:
        (remark,) = result.wilcoxon_table(rate).notes
        return f"Wilcoxon: no two methods differ (p < 0.05 by Holm's rule). {remark}"
    pairs = ", ".join(f"{test.better} > {test.worse} ({test.p_holm:.2g})" for test in found)
    return f"Wilcoxon, p < 0.05 by Holm's rule: {pairs}."


def _as_json(result: Comparison, files: list[Path], manifest: dict[str, Any]) -> dict[str, Any]:
    tests = {
        f"{rate:g}": asdict(result.friedman(rate)) for rate in result.missing if result.scores(rate)
    }
    tables = {name: table.to_dict() for name, table in named_tables(result).items()}
    shown = {"tables": tables, "friedman": tests, "files": [str(file) for file in files]}
    cleaned: dict[str, Any] = finite(shown | {"manifest": manifest})
    return cleaned
