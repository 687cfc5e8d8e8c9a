"""Options that several commands share, and the writing of files that they govern."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from rankwise._paths import checked_path
from rankwise.cli._console import stdout_text

if TYPE_CHECKING:
    from rankwise.datasets import Dataset

# Stands for standard input where a file is read, and for standard output where one is written.
STANDARD = "-"
WRITTEN = "scikit-lr, ranking, wide, long, xarff, preflib, excel, parquet or arrow"
FORMATS = f"aslib, {WRITTEN}"

Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        "-l",
        metavar="A,B,C",
        help="Columns that hold ranks; for ranking texts and long tables, the labels that occur.",
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        "--features", "-x", metavar="A,B,C", help="Columns to take as features (default: the rest)."
    ),
]
Drop = Annotated[
    str | None, typer.Option(metavar="A,B,C", help="Columns to leave out of the features.")
]
Nominal = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Features that are categories although they are numbers."),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"Format of the file: {FORMATS} (default: recognised)."),
]
Sheet = Annotated[
    str | None, typer.Option(metavar="NAME", help="Sheet of a workbook (default: the first).")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        "-c",
        metavar="ROLE=NAME",
        help="Name of a special column: row, label, rank, value, ranking, weight or group; of a "
        "scenario, value says which performance measure to take.",
    ),
]
HigherIsBetter = Annotated[
    bool | None,
    typer.Option(
        "--higher-is-better/--lower-is-better",
        help="Say which if cells hold values; without, they hold ranks (1 = first).",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Rows of one group are never divided between training and test."
    ),
]
Unit = Annotated[str | None, typer.Option(help="Unit of the values, such as s or %.")]
Cutoff = Annotated[
    float | None, typer.Option(help="At which value runs were stopped, where lower is better.")
]
Penalty = Annotated[
    float | None, typer.Option(help="As how many cutoffs such a run counts (default: 10, PAR10).")
]
Replicates = Annotated[
    str | None,
    typer.Option(
        metavar="mean|median",
        help="What to take of several values of a label in a row (default: mean).",
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        metavar="AMOUNT",
        help="Values that differ by no more are tied: a number, or sd for the pooled standard "
        "deviation of replicates (2sd: twice that).",
    ),
]
Top = Annotated[
    int, typer.Option(help="Where values are known: also what it costs to try the first so many.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def write_dataset(
    dataset: Dataset, path: Path, *, format: str | None, force: bool
) -> tuple[str, ...]:
    """Write a file, unless one is there already; return what the format has no place for.

    A path of ``-`` prints the text that the file would hold.
    """
    from rankwise.datasets import write

    if str(path) == STANDARD:
        if format in ("excel", "parquet"):
            raise ValueError(f"--to {format} writes no text; name a file in place of -")
        with TemporaryDirectory() as folder:
            lost = write(dataset, Path(folder, "printed"), format=format)
            stdout_text().write(Path(folder, "printed").read_text(encoding="utf-8"))
        return lost
    check_free(path, force)
    refuse_other_ending(path)
    return write(dataset, path, format=format)


def check_free(path: Path, force: bool) -> None:
    """Refuse to replace a file without --force, what is no file, and a folder that is not there."""
    checked_path(path)
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise ValueError(f"{path} is {what}, not a file; choose another name for the output")
    if path.exists() and not force:
        raise ValueError(f"{path} exists already; choose another name, or say --force")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; make it first")


def refuse_other_ending(path: Path) -> None:
    """Refuse a name that promises what is not written: spreadsheets would not open the file."""
    if path.suffix.lower() in (".xls", ".ods", ".json", ".gz", ".zip"):
        raise ValueError(
            f"{path}: {path.suffix} files are not written; choose a name with .csv or .xlsx"
        )


def refuse_same_file(target: Path, source: Path) -> None:
    """Refuse to write over what is being read, even by force."""
    if target.exists() and source.exists() and target.samefile(source):
        raise ValueError(f"{target} is what is being read; choose another name for the output")


def split_names(text: str | None) -> list[str] | None:
    """Split ``a,b,c``; names that hold commas stand in quotes, as in CSV.

    Examples
    --------
    >>> split_names('tea, "milk, hot",water')
    ['tea', 'milk, hot', 'water']
    """
    if text is None:
        return None
    import csv

    try:
        names = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error as error:  # a line break outside of quotes, or a name of megabytes
        shown = ascii(text if len(text) <= 60 else f"{text[:57]}...")
        raise ValueError(f"the names {shown} cannot be split at commas ({error})") from None
    return [name.strip() for name in names]


def column_roles(columns: list[str] | None) -> dict[str, str] | None:
    """Read ``--column`` options such as ``row=farmer``."""
    if not columns:
        return None
    roles = {}
    for column in columns:
        role, equals, name = column.partition("=")
        if not equals or not name:
            raise ValueError(f"--column {column}: write it as ROLE=NAME, such as row=farmer")
        roles[role] = name
    return roles
