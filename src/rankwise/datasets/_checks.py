"""The last gate of every reader: ranks are checked with the lines they came from, then packed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import IDLE_ROWS, Arg, Message
from rankwise.datasets._column_roles import ReadOptions
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._replicates import tolerance
from rankwise.datasets._text import DataFileError
from rankwise.rankings import ranks_from_scores

# The line of each row.
Lines = Sequence[int] | NDArray[np.int64]

# 8 GB of ranks; a file that needs more is misread, or too large for a dense table.
_MAX_CELLS = 1_000_000_000
# Of a larger table than this, one cell in so many is to be known: else it is a trap, or a slip.
_FEW_CELLS, _CELLS_PER_KNOWN = 20_000_000, 200


def ranks_of_cells(
    path: Path,
    cells: NDArray[np.float64],
    labels: Sequence[str],
    lines: Lines,
    options: ReadOptions,
    pooled: float = np.nan,
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return ranks and, where `cells` hold values and not ranks, what the dataset says of these.

    `pooled` is the standard deviation of replicates.
    """
    if len(labels) < 2:
        found = f"{len(labels)} label{'s' * (len(labels) != 1)}"
        raise DataFileError(path, f"names {found}; a ranking needs at least two")
    if not len(cells):
        raise DataFileError(path, "holds no rows; add at least one ranking below the header")
    higher = options.higher_is_better
    if higher is None and (options.cutoff is not None or options.within is not None):
        said = Arg.WITHIN if options.cutoff is None else Arg.CUTOFF
        raise DataFileError(
            path, f"{said} is about values; say {Arg.WHICH_IS_BETTER} if the cells hold values"
        )
    if higher is not None:
        values = penalised(path, cells, options)
        try:
            reach = tolerance(options.within, pooled)
        except ValueError as error:
            raise DataFileError(path, error.args[0]) from error
        return ranks_from_scores(values, higher_is_better=higher, within=reach), {
            "values": values,
            **value_facts(options),
        }
    check_ranks(path, cells, labels, lines)
    return cells, {}


def check_ranks(path: Path, cells: NDArray[Any], labels: Sequence[str], lines: Lines) -> None:
    """Refuse a cell that is no rank: these are whole from 1 up, or halves where labels are tied."""
    # In slices: a copy of a large file would double its memory.
    for start in range(0, len(cells), 10_000):
        part = cells[start : start + 10_000]
        # Ranks are whole, or halves where labels are tied.
        wrong = np.argwhere((part < 1) | (part > 2**53) | (part % 0.5 > 0))
        if len(wrong):
            i, j = wrong[0] + (start, 0)
            cell = cells[i, j]
            fault = f"{cell:g}, which is no rank;"
            if cell < 1:
                fault = f"rank {cell:g}; ranks start at 1: add 1 if yours start at 0, or"
            elif cell > 2**53:
                fault = f"rank {cell:g}, and ranks above 2**53 are rounded to others;"
            raise DataFileError(
                path,
                f"label {labels[j]!r} has {fault} say {Arg.WHICH_IS_BETTER} if these are scores",
                int(lines[i]),
            )


def penalised(path: Path, cells: NDArray[np.float64], options: ReadOptions) -> NDArray[np.float64]:
    """Return values in which a run that reached the cutoff counts as so many cutoffs."""
    if options.cutoff is None:
        return cells
    if options.higher_is_better:
        raise DataFileError(
            path, f"{Arg.CUTOFF} is about values of which low ones are better; leave it out"
        )
    return np.where(cells >= options.cutoff, options.penalty * options.cutoff, cells)


def value_facts(options: ReadOptions) -> dict[str, Any]:
    """Return what the user says of values, as arguments of a `Dataset`."""
    return {
        "higher_is_better": options.higher_is_better,
        "unit": options.unit,
        "cutoff": options.cutoff,
        "penalty": None if options.cutoff is None else options.penalty,
    }


def no_ranks(path: Path, n_rows: int, n_labels: int, n_known: int) -> NDArray[np.float64]:
    """Return a table of missing ranks to fill, or refuse one that is too large for what is known of it."""
    check_size(path, n_rows, n_labels, n_known)
    return np.full((n_rows, n_labels), np.nan)


def check_size(path: Path, n_rows: int, n_labels: int, n_known: int) -> None:
    """Refuse a table that no memory holds, or one of a small file that is all but empty."""
    n_cells = n_rows * n_labels
    if n_cells > _MAX_CELLS:
        raise DataFileError(
            path,
            f"its {n_rows} rows and {n_labels} labels make a table of {n_cells * 8 / 1e9:.0f} GB; "
            "check which column holds the labels, or split the file",
        )
    if n_cells > max(_FEW_CELLS, _CELLS_PER_KNOWN * n_known):
        raise DataFileError(
            path,
            f"its {n_rows:,} rows and {n_labels:,} labels make a table of {n_cells:,} cells, of which "
            f"{n_known:,} are known; check which column holds the labels, or split the file",
        )


def check_weights(path: Path, weights: NDArray[np.float64], lines: Lines) -> NDArray[np.float64]:
    """Refuse missing, negative and infinite weights with their line."""
    wrong = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
    if wrong.size:
        i = int(wrong[0])
        raise DataFileError(
            path, f"weight {weights[i]:g}; every row needs a weight, 0 or more", int(lines[i])
        )
    return weights


def pack(
    path: Path,
    features: tuple[NDArray[np.float64], Recipe, list[str]],
    Y: NDArray[np.float64],
    labels: Sequence[str],
    lines: Lines,
    **extra: Any,
) -> Dataset:
    """Make the dataset of a file, with notes on what its rankings leave open.

    `features` is what `FeatureColumns.finish` returns.
    """
    X, recipe, notes = features
    if not len(Y):
        raise DataFileError(path, "holds no rows; add at least one ranking")
    if np.isnan(Y).all():
        raise DataFileError(
            path, "ranks no label in any row; check which columns hold the rankings"
        )
    known = {"name": path.stem, "source": str(path), "recipe": recipe, "lines": lines, **extra}
    names = tuple(recipe.feature_names), tuple(labels)
    try:
        return Dataset(X, Y, *names, notes=(*notes, *_remarks(Y, lines)), **known)
    except ValueError as error:
        raise DataFileError(path, str(error)) from error


def _remarks(Y: NDArray[np.float64], lines: Lines) -> list[str]:
    remarks: list[str] = []
    idle = np.flatnonzero(np.count_nonzero(~np.isnan(Y), axis=1) < 2)
    if idle.size:
        what = "with fewer than two labels ranked; nothing is compared there"
        remarks.append(Message(f"{_rows(idle, lines)} {what}", IDLE_ROWS))
    largest, k = np.nanmax(Y), Y.shape[1]
    if largest > k:
        remarks.append(
            Message(
                f"ranks go up to {largest:g} with {k} labels, and lower is taken as better; say "
                f"{Arg.WHICH_IS_BETTER} if these are scores"
            )
        )
    gaps = np.flatnonzero(_rows_with_gaps(Y))
    if gaps.size:
        remarks.append(
            f"{_rows(gaps, lines)} with gaps in the ranks; kept, as only the order within a row counts"
        )
    return remarks


def _rows(which: NDArray[np.int64], lines: Lines) -> str:
    return f"{which.size} row{'s' * (which.size != 1)} (first: line {lines[which[0]]})"


def _rows_with_gaps(Y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which rows are numbered in none of the usual ways (1 2 2 3, 1 2 2 4, 1 2.5 2.5 4)."""
    gaps = np.zeros(len(Y), dtype=bool)
    # In slices: ranking the whole of a large file at once would double its memory.
    for start in range(0, len(Y), 10_000):
        part = Y[start : start + 10_000]
        odd = np.flatnonzero(_differ(part, ranks_from_scores(part, higher_is_better=False)))
        if odd.size:
            from scipy.stats import rankdata  # slow to import, and seldom needed

            rows = part[odd]
            filled = np.where(np.isnan(rows), np.inf, rows)
            as_min, as_mean = (rankdata(filled, method=m, axis=1) for m in ("min", "average"))
            gaps[start + odd] = _differ(rows, as_min) & _differ(rows, as_mean)
    return gaps


def _differ(rows: NDArray[np.float64], usual: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(((rows != usual) & ~np.isnan(rows)).any(axis=1))
