"""The last gate of every reader: ranks are checked with the lines they came from, then packed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from rankwise.datasets._dataset import Dataset
from rankwise.datasets._text import DataFileError
from rankwise.rankings import ranks_from_scores

ROLES = ("row", "label", "rank", "value", "ranking", "weight")


@dataclass(frozen=True)
class ReadOptions:
    """What a user may say about a file; see `rankwise.datasets.read`."""

    features: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    nominal: tuple[str, ...] = ()
    higher_is_better: bool | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def role(self, role: str, default: str) -> str:
        """Return the name of the column that plays `role`."""
        return self.columns.get(role, default)


def ranks_of_cells(
    path: Path,
    cells: NDArray[np.float64],
    labels: Sequence[str],
    lines: Sequence[int] | NDArray[np.int64],
    higher_is_better: bool | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return ranks, and the values they were made of where `cells` hold values and not ranks."""
    if len(labels) < 2:
        raise DataFileError(
            path,
            f"names {len(labels)} label{'s' * (len(labels) != 1)}; a ranking needs at least two",
        )
    if not len(cells):
        raise DataFileError(path, "holds no rows; add at least one ranking below the header")
    if higher_is_better is not None:
        return ranks_from_scores(cells, higher_is_better=higher_is_better), cells
    wrong = np.argwhere(cells < 1)
    if len(wrong):
        i, j = wrong[0]
        raise DataFileError(
            path,
            f"label {labels[j]!r} has rank {cells[i, j]:g}; ranks start at 1: add 1 if "
            "yours start at "
            "0, or pass higher_is_better=True or False if these are scores",
            int(lines[i]),
        )
    return cells, None


def pack(
    path: Path,
    *,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    feature_names: Sequence[str],
    labels: Sequence[str],
    lines: Sequence[int] | NDArray[np.int64],
    notes: Iterable[str] = (),
    **extra: Any,
) -> Dataset:
    """Make the dataset of a file, with notes on what its rankings leave open."""
    if not len(Y):
        raise DataFileError(path, "holds no rows; add at least one ranking")
    if np.isnan(Y).all():
        raise DataFileError(
            path, "ranks no label in any row; check which columns hold the rankings"
        )
    told = [*notes, *_remarks(Y, lines)]
    known = {"name": path.stem, "source": str(path)} | extra
    try:
        return Dataset(
            X,
            Y,
            feature_names=tuple(feature_names),
            label_names=tuple(labels),
            notes=tuple(told),
            **known,
        )
    except ValueError as error:
        raise DataFileError(path, str(error)) from error


def _remarks(Y: NDArray[np.float64], lines: Sequence[int] | NDArray[np.int64]) -> list[str]:
    remarks = []
    idle = np.flatnonzero(np.count_nonzero(~np.isnan(Y), axis=1) < 2)
    if idle.size:
        remarks.append(
            f"{idle.size} rows (first: line {lines[idle[0]]}) rank fewer than two labels; "
            "they carry "
            "no comparison"
        )
    gaps = np.flatnonzero(_rows_with_gaps(Y))
    if gaps.size:
        remarks.append(
            f"{gaps.size} rows (first: line {lines[gaps[0]]}) have gaps in their ranks; "
            "they are kept, "
            "only the order within a row counts"
        )
    return remarks


def _rows_with_gaps(Y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows are numbered in none of the usual ways (1 2 2 3, 1 2 2 4, 1 2.5 2.5 4)."""
    gaps = np.ones(len(Y), dtype=bool)
    for method in ("dense", "min", "average"):
        # In slices: ranking the whole of a large file at once would double its memory.
        for start in range(0, len(Y), 10_000):
            part = Y[start : start + 10_000]
            usual = rankdata(np.where(np.isnan(part), np.inf, part), method=method, axis=1)
            gaps[start : start + 10_000] &= ~((part == usual) | np.isnan(part)).all(axis=1)
    return gaps
