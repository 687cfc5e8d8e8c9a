"""One label at a time: how often it is observed and tied, and whether folds would lose it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments

Matrix = NDArray[np.float64]


@check_arguments
@dataclass(frozen=True)
class LabelSummary:
    """What the rows say about one label.

    Attributes
    ----------
    name : str
    n_observed : int
        Rows that rank it.
    missing_rate : float
        Share of rows that do not.
    tie_rate : float
        Share of the rows that rank it in which it is tied with another label.
    mean_place : float or None
        Mean of (labels before + half of those tied with it) / (other labels observed), from 0
        (always first) to 1 (always last).
    per_fold : float
        Expected number of rows that rank it, per fold of a cross-validation.
    folds_without : float
        Expected number of folds that lack it if rows are shuffled.
    blocks_without : int
        Number of folds that lack it if rows are taken in the order given, unshuffled.
    """

    name: str
    n_observed: int
    missing_rate: float
    tie_rate: float
    mean_place: float | None
    per_fold: float
    folds_without: float
    blocks_without: int


def summarise_labels(ranks: Matrix, names: Sequence[str], n_folds: int) -> tuple[LabelSummary, ...]:
    """Summarise every label of checked ranks.

    Examples
    --------
    >>> ranks = np.array([[1.0, 1.0, 2.0], [1.0, 2.0, np.nan]])
    >>> tea, coffee, water = summarise_labels(ranks, ["tea", "coffee", "water"], n_folds=2)
    >>> tea.tie_rate, water.missing_rate, water.folds_without
    (0.5, 0.5, 1.0)
    """
    n = len(ranks)
    observed = ~np.isnan(ranks)
    counts = observed.sum(axis=0)
    tied, places = _ties_and_places(ranks, observed)
    blocks = np.array_split(observed, n_folds)
    lacking = np.array([~block.any(axis=0) for block in blocks]).sum(axis=0)
    return tuple(
        LabelSummary(
            name=name,
            n_observed=int(counts[j]),
            missing_rate=float(1 - counts[j] / n),
            tie_rate=float(tied[j] / counts[j]) if counts[j] else 0.0,
            mean_place=None if np.isnan(places[j]) else float(places[j]),
            per_fold=float(counts[j] / n_folds),
            folds_without=_expected_without(int(counts[j]), [len(block) for block in blocks]),
            blocks_without=int(lacking[j]),
        )
        for j, name in enumerate(names)
    )


def _ties_and_places(ranks: Matrix, observed: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Return, per label, in how many rows it is tied, and its mean place from 0 to 1."""
    n, k = ranks.shape
    tied, total, seen = np.zeros(k), np.zeros(k), np.zeros(k)
    step = max(1, 2_000_000 // k)  # temporary arrays of some 16 MB each
    for start in range(0, n, step):
        rows = slice(start, start + step)
        order = np.argsort(ranks[rows], axis=1)
        rising = np.take_along_axis(ranks[rows], order, axis=1)
        like_left = np.zeros(rising.shape, dtype=bool)
        like_left[:, 1:] = rising[:, 1:] == rising[:, :-1]
        like_right = np.roll(like_left, -1, axis=1)
        column = np.arange(k)
        first = np.maximum.accumulate(np.where(like_left, 0, column), axis=1)
        last = np.minimum.accumulate(np.where(like_right, k, column)[:, ::-1], axis=1)[:, ::-1]
        others = observed[rows].sum(axis=1)[:, None] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            place = (first + last) / (2 * others)
        counted = ~np.isnan(rising) & (others > 0)
        tied += np.bincount(order[like_left | like_right], minlength=k)
        total += np.bincount(order[counted], weights=place[counted], minlength=k)
        seen += np.bincount(order[counted], minlength=k)
    with np.errstate(invalid="ignore"):
        return tied, total / seen


def _expected_without(n_observed: int, sizes: Sequence[int]) -> float:
    """Sum over folds of the hypergeometric chance that no observed row, at random, falls into it."""
    n = sum(sizes)
    rest = n - n_observed
    chances = [
        exp(lgamma(rest + 1) - lgamma(rest - size + 1) - lgamma(n + 1) + lgamma(n - size + 1))
        for size in sizes
        if size <= rest
    ]
    # lgamma leaves an error in the last digits.
    return round(sum(chances, 0.0), 9)
