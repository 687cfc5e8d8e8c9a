"""A part of the rows, and what it is opened to: blocks of features and rankings that were checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._naming import label_text
from rankwise.datasets import DataFileError
from rankwise.datasets.tables import Recipe, check_ranks
from rankwise.rankings import check_rankings

# Rows that are looked at together: a column of them stays in the cache. Of very many columns fewer, so
# that a block stays below 32 MB.
BLOCK_ROWS, LEAST_BLOCK_ROWS = 16_384, 512
BLOCK_CELLS = 1 << 22

# Numbers of the comparisons of each two labels that are made at a time: 16 MB.
MOST_COMPARISONS = 1 << 24


class Block(NamedTuple):
    """Some rows of a part, one after the other."""

    X: np.ndarray  # (n, d), of the dtype of its part; NaN where there is none
    positions: np.ndarray  # (n, k) twice the mean position of each label, 0 where it is missing
    weights: np.ndarray | None


class Part(ABC):
    """A part of the rows, opened where it is needed: in another thread, process or machine.

    It is small until it is opened, can be pickled, and gives the same rows each time.
    """

    n_rows: int

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield its rows in order."""


@check_arguments
@dataclass(frozen=True)
class Parts:
    """All rows, as parts in order, and what is the same in each of them.

    Parameters
    ----------
    parts : tuple of Part
        In the order of their rows; parts without rows are fine.
    n_features, n_labels : int
        Columns of their blocks.
    dtype : numpy.dtype
        Of the features in all blocks.
    weighted : bool
        Whether rows have weights.
    feature_names, label_names : tuple of str, optional
        Where columns have names.
    recipe : Recipe, optional
        How the features were made of the columns of tables.
    reading : mapping, optional
        How the rankings stand in the tables, for whoever reads others like them.
    """

    parts: tuple[Part, ...]
    n_features: int
    n_labels: int
    dtype: np.dtype[Any]
    weighted: bool = False
    feature_names: tuple[str, ...] | None = None
    label_names: tuple[str, ...] | None = None
    recipe: Recipe | None = None
    reading: Any = None

    @cached_property
    def starts(self) -> np.ndarray:
        """The first row of each part among all rows, and behind them the number of all rows."""
        return np.concatenate([[0], np.cumsum([part.n_rows for part in self.parts])]).astype(
            np.int64
        )

    @property
    def n_rows(self) -> int:
        """Number of all rows."""
        return int(self.starts[-1])


class Place(NamedTuple):
    """Where rows come from, for messages."""

    name: str  # a file, or what an array is called
    first: int  # the number of the first row there
    is_file: bool = False

    def error(self, row: int, reason: str) -> ValueError:
        """An error about one row; files count their rows from 1, arrays from 0."""
        if self.is_file:
            return DataFileError(self.name, reason, self.first + row + 1)
        return ValueError(f"{self.name}, row {self.first + row}: {reason}")


def check_features(X: np.ndarray, names: Sequence[str] | None, place: Place) -> np.ndarray:
    """Return features as they are, or name the first that is infinite."""
    if X.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):
                return X
        bad = np.isinf(X)
        if bad.any():
            i, j = np.argwhere(bad)[0]
            feature = str(j) if names is None else repr(names[j])
            raise place.error(
                int(i),
                f"feature {feature} is infinite (inf); replace it by a finite number, or leave it "
                "empty where it is missing",
            )
    return X


def check_block_weights(weights: np.ndarray, place: Place) -> np.ndarray:
    """Return weights as floats, or name the first that is none."""
    weights = np.asarray(weights, dtype=np.float64)
    wrong = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
    if wrong.size:
        i = int(wrong[0])
        raise place.error(i, f"weight {weights[i]:g}; every row needs a weight, 0 or more")
    return weights


def position_type(n_labels: int) -> np.dtype[Any]:
    """The smallest type that holds twice any position."""
    return np.min_scalar_type(2 * n_labels)


def positions_of(Y: np.ndarray, names: Sequence[str] | None, place: Place) -> np.ndarray:
    """Return twice the mean position of each label, 0 where it is missing, of ranks that are checked here.

    They say the order in each row, which is all that is learned from.
    """
    n, k = Y.shape
    if _are_permutations(Y):
        return (2 * Y.astype(position_type(k))).astype(position_type(k))
    ranks = _checked(Y, names, place)
    result = np.zeros((n, k), dtype=position_type(k))
    step = max(1, MOST_COMPARISONS // k**2)
    for start in range(0, n, step):
        rows = ranks[start : start + step]
        behind = (rows[:, None, :] < rows[:, :, None]).sum(axis=2)
        tied = (rows[:, None, :] == rows[:, :, None]).sum(axis=2)
        doubled = 2 * behind + tied + 1
        result[start : start + step] = np.where(np.isnan(rows), 0, doubled)
    return result


def ranks_of(positions: np.ndarray) -> np.ndarray:
    """Return mean positions, NaN where a label is missing."""
    return np.where(positions == 0, np.nan, positions / 2)


def in_blocks(n_rows: int, n_columns: int, block: Callable[[int, int], Block]) -> Iterator[Block]:
    """Yield blocks of rows that can be had by where they start and stop."""
    size = min(BLOCK_ROWS, max(LEAST_BLOCK_ROWS, BLOCK_CELLS // max(1, n_columns)))
    for start in range(0, n_rows, size):
        yield block(start, min(start + size, n_rows))


def _are_permutations(Y: np.ndarray) -> bool:
    """Whether each row holds 1 to k, each once: by the set of its ranks as bits."""
    n, k = Y.shape
    if k > 60 or Y.dtype.kind not in "iuf" or not n:
        return False
    low, high = Y.min(), Y.max()  # NaN is neither
    if not (low == 1 and high == k):
        return False
    seen = np.zeros(n, dtype=np.int64)
    for column in Y.T:
        whole = column.astype(np.int64)
        if Y.dtype.kind == "f" and (whole != column).any():
            return False
        seen |= np.left_shift(1, whole)
    return bool((seen == (1 << (k + 1)) - 2).all())


def _checked(Y: np.ndarray, names: Sequence[str] | None, place: Place) -> np.ndarray:
    labels = None if names is None else list(names)
    try:
        checked = check_rankings(Y, labels=labels, warn=False)
    except ValueError as error:
        ranks = np.asarray(Y, dtype=np.float64)
        wrong = np.argwhere(~np.isnan(ranks) & ~((ranks >= 1) & (ranks < 2.0**53)))
        if not len(wrong):
            raise ValueError(f"{place.name}: {error}") from None
        i, j = wrong[0]
        reason = str(error).partition(": ")[2].partition(" (")[0]
        # the message is about the first wrong cell in any case
        about = label_text(int(j), labels)
        raise place.error(
            int(i), reason if reason.startswith(about) else f"{about}: {reason}"
        ) from None
    if place.is_file:
        names = names or [str(j) for j in range(Y.shape[1])]
        check_ranks(
            Path(place.name), checked, names, range(place.first + 1, place.first + len(Y) + 1)
        )
    return checked
