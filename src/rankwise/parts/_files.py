"""Files as parts: Parquet and Arrow of numbers by groups of rows, all other tables file by file."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import as_list, check_choice, check_names
from rankwise._paths import checked_path
from rankwise.datasets import DataFileError
from rankwise.datasets.tables import (
    ENDINGS,
    Column,
    ReadOptions,
    Recipe,
    choose_features,
    find_layout,
    open_columns,
    places,
    ranking_columns,
    row_columns,
)
from rankwise.parts._block import Parts
from rankwise.parts._column_files import (
    Columns,
    FileFacts,
    check_alike,
    empty_columns,
    feature_type,
    file_facts,
    holds_numbers,
    parts_of_file,
)
from rankwise.parts._tables import is_empty_table, table_parts
from rankwise.rankings import natural_sorted

_TABLES = (*ENDINGS, ".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".arff", ".xarff")

File = TypeVar("File")

# What becomes of files without rows.
EMPTY = ("error", "skip")

# Values of rows that a counter of them is known by.
_LEAST_ROWS = 8


def find_files(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that a pattern, a folder or a list names, in their natural order (2 before 10).

    Examples
    --------
    >>> find_files(["trials/2.csv", "trials/10.csv"])
    ['trials/2.csv', 'trials/10.csv']
    """
    if not isinstance(files, (str, os.PathLike)):
        found = [str(checked_path(path)) for path in as_list("files", files)]
        if not found:
            raise ValueError("files names no file; give at least one")
        return found
    name = str(checked_path(files))
    if Path(name).is_dir():
        found = [str(path) for path in Path(name).iterdir() if path.suffix.lower() in _TABLES]
        what = f"there is no table in the folder {name}; give files such as '{name}/*.parquet'"
    elif is_pattern(name) and not Path(name).exists():
        found = [path for path in glob.glob(name, recursive=True) if _is_table(path)]
        what = f"no file is called {name}; check the pattern, and quote it in a shell"
    else:
        return [name]
    if not found:
        raise ValueError(what)
    return natural_sorted(found)


def _is_table(path: str) -> bool:
    """Whether a name is that of a file; a folder that is called as a table is refused."""
    if Path(path).is_dir() and Path(path).suffix.lower() in _TABLES:
        raise DataFileError(path, f"is a folder; give the files in it, as '{path}/*'")
    return Path(path).is_file()


def is_pattern(name: str) -> bool:
    """Whether a name stands for several files.

    Examples
    --------
    >>> is_pattern("trials/*.parquet"), is_pattern("trials.csv")
    (True, False)
    """
    return any(mark in name for mark in "*?[")


@check_arguments
def open_parts(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    labels: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    empty: str = "error",
    **options: Any,
) -> Parts:
    r"""Files as parts that `ForestRanker.fit_parts` grows forests from.

    Parquet files of numbers and Booleans with a column of ranks for each label are read by row groups,
    and Arrow files by the batches they were written in, so that a file may be larger than memory. Any
    other table (CSV, texts in columns, rankings as texts)
    is read a file at a time, and each file must fit into memory.

    Parameters
    ----------
    files : path-like or iterable of path-like
        A pattern such as ``"trials/*.parquet"``, a folder, or files in the order of their rows. Those of
        a pattern or folder are taken in their natural order, 2 before 10. All need the same columns, in
        any order.
    labels : sequence of str, optional
        The columns that hold ranks, as for `rankwise.datasets.read`.
    features : sequence of str, optional
        The columns to take as features; by default all that are nothing else.
    drop : sequence of str
        Columns to leave out of the features.
    empty : {"error", "skip"}, default="error"
        What becomes of a file without rows: it is refused by its name, or passed over.
    **options
        What else `rankwise.datasets.read` takes, such as ``higher_is_better``.

    Returns
    -------
    Parts

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankwise as rw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for i, rows in enumerate(["8,2,1\n9,2,1\n", "17,1,2\n18,1,2\n"]):
    ...     _ = (folder / f"{i}.csv").write_text("hour,tea,coffee\n" + rows)
    >>> parts = open_parts(f"{folder}/*.csv", labels=["tea", "coffee"])
    >>> parts.n_rows, parts.feature_names
    (4, ('hour',))
    """
    check_choice("empty", empty, EMPTY)
    paths = find_files(files)
    named = {"labels": labels, "features": features, "drop": drop}
    said = {
        name: given if given is None else check_names(name, given) for name, given in named.items()
    }
    said |= options
    said = {name: value for name, value in said.items() if value not in (None, (), [])}
    if all(Path(path).suffix.lower() in ENDINGS for path in paths):
        found = _by_groups(paths, said, empty)
        if found is not None:
            return found
    filled = _with_rows(paths, paths, [is_empty_table(path) for path in paths], empty)
    return table_parts(filled, said)


def _with_rows(
    files: Sequence[File], paths: Sequence[str], are_empty: Sequence[bool], empty: str
) -> list[File]:
    """The files that have rows; one that has none is refused, unless it is to be passed over."""
    if empty == "error" and any(are_empty):
        raise DataFileError(
            paths[are_empty.index(True)],
            "has no rows; delete it or leave it out (in Python open_parts(…, empty='skip') passes over "
            "such files)",
        )
    filled = [file for file, is_empty in zip(files, are_empty, strict=True) if not is_empty]
    # without any row the first says so itself
    return filled or list(files[:1])


# What reading by groups of rows knows; a table of which more is said is read whole.
_KNOWN = {"labels", "features", "drop", "higher_is_better", "columns", "drop_names"}


def _by_groups(paths: list[str], said: dict[str, Any], empty: str) -> Parts | None:
    """Parts of files of numbers; None where files hold more than that, or more is asked for."""
    if set(said) - _KNOWN:
        return None
    every = [file_facts(path) for path in paths]
    files = _with_rows(every, paths, [not facts.n_rows for facts in every], empty)
    first = files[0]
    header = list(first.types)
    naming = said.get("drop_names", False) and "features" not in said
    given: dict[str, Any] = {
        name: tuple(value) if name in ("labels", "features", "drop") else value
        for name, value in said.items()
    }
    options = ReadOptions(**given)
    layout, options, _ = find_layout(header, options)
    if layout.name not in ("wide", "scikit-lr") or layout.values:
        return None
    labels = ranking_columns(header, options, layout.name)
    of_rows = row_columns(header, options)
    if not labels or of_rows["groups"]:
        return None
    taken = [*labels, *(name for names in of_rows.values() for name in names)]
    places(Path(first.path), header, labels, "label")
    chosen = [header[j] for j in choose_features(Path(first.path), header, taken, options)]
    check_alike(files, [*chosen, *labels, *of_rows["weights"]], only_these="features" not in said)
    if not holds_numbers(files, [*chosen, *labels]):
        return None
    left_out = [name for name in chosen if naming and _counts_rows(first, name)]
    left_out += (
        empty_columns(files, [name for name in chosen if name not in left_out]) if naming else []
    )
    chosen = [name for name in chosen if name not in left_out]
    if not chosen:
        raise DataFileError(first.path, "has no column to learn from")
    weight = next(iter(of_rows["weights"]), None)
    columns = Columns(tuple(chosen), tuple(labels), weight, layout.higher_is_better)
    dtype = feature_type(files, chosen)
    return Parts(
        tuple(part for facts in files for part in parts_of_file(facts, columns, dtype)),
        len(chosen),
        len(labels),
        dtype,
        weight is not None,
        tuple(chosen),
        tuple(labels),
        Recipe(tuple(Column(name) for name in chosen), tuple(left_out)),
        layout,
    )


def _counts_rows(facts: FileFacts, name: str) -> bool:
    """Whether a column numbers the rows, as far as the first of them tell."""
    if str(facts.types[name]) in ("bool", "float", "double"):
        return False
    with open_columns(facts.path, facts.is_plain) as file:
        batch = next(file.batches(1024, [name]), None)
    if batch is None:
        return False
    values = batch.column(0).cast("float64").to_numpy(zero_copy_only=False)
    return bool(len(values) >= _LEAST_ROWS and values[0] in (0, 1) and (np.diff(values) == 1).all())
