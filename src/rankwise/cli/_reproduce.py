"""``rankwise reproduce``: the paper's tables and figures again, with a verdict on every claim."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._cluster import connected
from rankwise.cli._console import make_console, note, print_json, print_table
from rankwise.cli._options import AsJson

if TYPE_CHECKING:
    from rankwise.paper import Cell, PaperTable, Plan, Protocol, Reproduction

EXAMPLES = (
    "rankwise reproduce --quick",
    "rankwise reproduce table-real figure-noise --out paper",
    "rankwise reproduce --set lfn_repeats=1 --jobs 2",
    "rankwise reproduce figure-noise --set noise_grid=programs --out programs",
    "rankwise reproduce --dry-run",
)

# 128 and the number of SIGTERM, as shells have it.
_TERMINATED = 143
_USUAL_FOLDER = Path("rankwise-reproduce")

Parts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PART",
        help="table-semi-synthetic, table-real, table-comparison, table-comparison-real, "
        "table-vc, table-sparsity, figure-noise, figure-operators, learning-curve, or all (default).",
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        min=1, help="Repetitions of everything (default: 5, and 1 of the tuned learners)."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change the protocol, such as lfn_repeats=1, noise_levels=10 or noise_grid=programs.",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        help="Of joblib: threading (default), loky (processes), or dask, which takes the cluster "
        "at DASK_SCHEDULER_ADDRESS or makes one on this machine."
    ),
]


def reproduce_command(
    parts: Parts = None,
    quick: Annotated[bool, typer.Option("--quick", help="The same shape in minutes.")] = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for results; a stopped run continues there.")
    ] = _USUAL_FOLDER,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Units at a time; -1 for all cores.")
    ] = -1,
    backend: Backend = None,
    repeats: Repeats = None,
    changes: Changes = None,
    seed: Annotated[int, typer.Option(help="Decides samples, folds and learners.", min=0)] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would run, and how long it takes.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Only write the report of what is finished so far.")
    ] = False,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge", help="Only judge the files of a finished run again, and write its report."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments again and write tables, figures, verdicts and a report.

    Exit code: 0 if everything ran, 1 if something failed (the rest is kept), 2 if the
    input is bad. A run that was stopped, in whatever way, continues where it was.
    """
    # Imported here, so that help needs no numpy.
    from rankwise._progress import Progress
    from rankwise.paper import make_manifest, plan, read_report, reproduce
    from rankwise.validation.running import Store

    if jobs == 0:
        raise ValueError("--jobs 0: give a number from 1 up, or -1 for all cores")
    if judge:
        _write(*read_report(out), out, as_json)
    protocol = _protocol(quick, repeats, changes or [], seed)
    store = Store(out / "units")
    with connected(backend), _resumable(out):
        planned = plan(
            parts or [], protocol, store,
            n_jobs=jobs, backend=backend, find_levels=not (dry_run or report),
        )  # fmt: skip
        n_missing = len(planned.units) - len(planned.done) if report else 0
        if report:
            planned = planned.finished()
        else:
            _print_time(planned, jobs)
        if dry_run:
            return
        with Progress("Reproducing", patience=0.0, logs=True) as progress:
            result = reproduce(
                planned, store, n_jobs=jobs, backend=backend, progress=progress.report
            )
    manifest = make_manifest(result, jobs=jobs, backend=backend, units_missing=n_missing)
    if n_missing:
        manifest["cut"].append(f"{n_missing:,} units are not finished")
    _write(result, manifest, out, as_json)


def _write(result: Reproduction, manifest: dict[str, Any], out: Path, as_json: bool) -> None:
    """Write the report, print what is in it, and leave with the exit code of the run."""
    from rankwise.paper import write_report

    files = write_report(result, manifest, out)
    if as_json:
        verdicts = [asdict(verdict) for verdict in result.verdicts]
        names = [str(file) for file in files]
        print_json({"verdicts": verdicts, "files": names, "manifest": manifest})
    else:
        _print_result(result, files[0])
    for failure in result.failures:
        note(failure)
    raise typer.Exit(1 if result.failures else 0)


def _protocol(quick: bool, repeats: int | None, changes: list[str], seed: int) -> Protocol:
    from rankwise.paper import Protocol

    protocol = Protocol.quick() if quick else Protocol()
    if repeats is not None:
        protocol = protocol.with_repeats(repeats)
    known = {field.name: getattr(protocol, field.name) for field in fields(protocol)}
    values: dict[str, Any] = {"seed": seed}
    for change in changes:
        name, equals, text = change.partition("=")
        if name not in known or name == "seed" or not equals:
            raise ValueError(
                f"--set {change}: write NAME=VALUE with one of "
                f"{', '.join(n for n in known if n != 'seed')}"
            )
        values[name] = _value(name, text, known[name])
    return replace(protocol, **values)


def _value(name: str, text: str, usual: Any) -> Any:
    """Read a value of the protocol; lists are separated by commas, and none stands for no limit."""
    if isinstance(usual, tuple):
        return tuple(_item(name, item.strip()) for item in text.split(",") if item.strip())
    if isinstance(usual, str):
        return text
    value = _item(name, text)
    if not isinstance(value, int):
        raise ValueError(f"--set {name}={text}: give a whole number")
    return value


def _item(name: str, text: str) -> int | str | None:
    if text.lower() == "none":
        return None
    if name in ("datasets", "tuned_datasets", "families", "grid_features"):
        return text
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"--set {name}: {text!r} is not a whole number") from None


@contextmanager
def _resumable(out: Path) -> Iterator[None]:
    """Say how to go on where a run is stopped; SIGTERM ends it, and its workers, as Ctrl-C does."""
    continues = f"what is finished is in {out}, and the same command continues from there"
    terminated = False

    def terminate(*_: Any) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    # Signals can be set in the main thread only, and one that is ignored stays so.
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    if is_main and before is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except KeyboardInterrupt:
        note(f"stopped; {continues}")
        if terminated:
            raise typer.Exit(_TERMINATED) from None
        raise
    except OSError:
        note(continues)
        raise
    finally:
        if is_main and before is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, before)


def _print_time(planned: Plan, jobs: int) -> None:
    """Say, before anything long begins, how long each part will take."""
    from joblib import effective_n_jobs

    from rankwise._progress import describe_seconds
    from rankwise.paper import measure_pace

    if not planned.seconds():
        return
    console = make_console(stderr=True)
    console.print("Measuring the pace of this machine (compiles on the first run) ...", style="dim")
    n_jobs = effective_n_jobs(jobs)
    factor = measure_pace() / n_jobs
    for kind in dict.fromkeys(unit.part for unit in planned.units):
        seconds = factor * planned.seconds(kind)
        if seconds:
            tuned = factor * planned.seconds(kind, tuned=True)
            more = f", of which {describe_seconds(tuned)} for the tuned learners" if tuned else ""
            console.print(f"  {kind}: about {describe_seconds(seconds)}{more}", highlight=False)
    whole = describe_seconds(factor * planned.seconds())
    done = (
        f"; {len(planned.done):,} of {len(planned.units):,} units are there" if planned.done else ""
    )
    console.print(f"In all about {whole} with {n_jobs} at a time{done}.", highlight=False)


def _print_result(result: Reproduction, page: Path) -> None:
    from rankwise.paper import PLAIN_TABLES, TOLERANCE_OF_LEARNERS

    console = make_console()
    for name, table in result.tables.items():
        console.print(f"{table.title} ({name})", style="bold", markup=False)
        print_table(*_as_rows(table))
        console.print()
    for name in ("table-vc", "table-sparsity"):
        if rows := result.records.get(name):
            console.print(f"{PLAIN_TABLES[name]} ({name})", style="bold", markup=False)
            print_table(list(rows[0]), [[str(v) for v in row.values()] for row in rows])
            console.print()
    if result.verdicts:
        console.print("Verdicts", style="bold")
        print_table(
            ["claim", "tau on", "verdict", "measured"],
            [
                [v.claim, v.reading, v.word(is_short=result.protocol.is_short), v.figure]
                for v in result.verdicts
            ],
        )
        console.print()
    console.print(
        f"* more than {TOLERANCE_OF_LEARNERS} from the paper, tau on orders",
        style="dim",
        markup=False,
    )
    console.print(f"Report: {page}", markup=False)


def _as_rows(table: PaperTable) -> tuple[list[str], list[list[str]]]:
    ours = [
        m for m in table.methods if any(row[m].orders is not None for row in table.rows.values())
    ]
    columns = ["dataset"]
    for method in table.methods:
        columns += [f"{method} paper"]
        columns += ["orders", "ranks"] if method in ours else []
    rows = []
    for dataset, cells in table.rows.items():
        row = [dataset]
        for method in table.methods:
            row += _texts(cells[method])[: 3 if method in ours else 1]
        rows.append(row)
    return columns, rows


def _texts(cell: Cell) -> list[str]:
    paper = "" if cell.paper is None else f"{cell.paper:.2f}"
    orders = "" if cell.orders is None else f"{cell.orders:.3f}{'*' if cell.is_off else ''}"
    ranks = "" if cell.ranks is None else f"{cell.ranks:.3f}"
    return [paper, orders, ranks]
