"""One classification problem per pair of labels: its rows, its classes, its fitted classifier."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.utils.parallel import Parallel, delayed

from rankwise._parallel import no_more_than, received, shared
from rankwise._progress import Progress
from rankwise.classifiers import (
    one_thread_if_small,
    raise_naming,
    seeded_copies,
    spawn_seeds,
    take_rows,
)
from rankwise.ranker import pair_weights

Pair = tuple[int, int]

# What a pair's classifier tells apart: the first label is behind, before, or tied where that is learned.
BEHIND, BEFORE, TIED = range(3)

# The last blocks hold this share of a worker's pairs: small enough to end together.
LAST_BLOCK = 1 / 16
# Steps of a progress bar, at least.
BAR_STEPS = 50


@dataclass(frozen=True)
class Rows:
    """What every pair's problem is cut from, and the keywords by which `fit` takes weights.

    With `ties` rows that tie a pair are of a third class; else they are left out.
    With values, a row counts for a pair by how much the two labels differ in it.
    """

    X: Any
    ranks: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    keywords: Sequence[str] = ()
    ties: bool = False
    values: NDArray[np.float64] | None = None


def count_wins(
    ranks: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[Any]:
    """Return (k, k): the rows, or their weight, that put the row label before the column label.

    Examples
    --------
    >>> count_wins(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, np.nan]]))
    array([[0, 1, 1],
           [1, 0, 1],
           [0, 0, 0]])
    """
    if weights is None:
        return np.stack([(column[:, None] < ranks).sum(axis=0) for column in ranks.T])
    return np.stack([weights @ (column[:, None] < ranks) for column in ranks.T])


def count_ties(
    ranks: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[Any]:
    """Return (k, k): the rows, or their weight, that tie the two labels; 0 on the diagonal.

    Examples
    --------
    >>> count_ties(np.array([[1.0, 2.0, 2.0], [1.0, 1.0, np.nan]]))
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    rows = np.ones(len(ranks), dtype=np.int64) if weights is None else weights
    counts = np.stack([rows @ (column[:, None] == ranks) for column in ranks.T])
    np.fill_diagonal(counts, 0)
    return counts


def contested_pairs(wins: NDArray[Any], ties: NDArray[Any]) -> list[Pair]:
    """Return the pairs i < j of which more than one outcome was seen: those that a classifier can learn.

    Examples
    --------
    >>> contested_pairs(np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]]), np.zeros((3, 3)))
    [(0, 1)]
    """
    seen = (wins > 0) * 1 + (wins.T > 0) + (ties > 0)
    return [(i, j) for i, j in combinations(range(len(wins)), 2) if seen[i, j] > 1]


def fit_pairs(
    estimator: Any,
    data: Rows,
    pairs: Sequence[Pair],
    names: Sequence[str],
    *,
    seed: int,
    n_jobs: int | None,
    verbose: int,
) -> dict[Pair, Any]:
    """Fit a clone of `estimator` per pair; the result does not depend on `n_jobs`."""
    if not pairs:
        return {}
    n_jobs = no_more_than(len(pairs), n_jobs)
    problems = list(zip(pairs, spawn_seeds(seed, len(pairs)), strict=True))
    largest = math.ceil(len(pairs) / BAR_STEPS) if verbose else len(pairs)
    blocks = cut_blocks(len(pairs), effective_n_jobs(n_jobs), largest)
    rows = shared(data)
    fitted = _open_workers(n_jobs, verbose)(
        delayed(_fit_block)(estimator, rows, problems[block], list(names)) for block in blocks
    )
    if verbose:
        fitted = _with_bar(fitted, [block.stop - block.start for block in blocks])
    return dict(zip(pairs, (model for block in fitted for model in block), strict=True))


def _open_workers(n_jobs: int | None, verbose: int) -> Any:
    # Blocks are sized here: joblib's own batches would grow, and leave workers idle at the end.
    sized: dict[str, Any] = {"n_jobs": n_jobs, "batch_size": 1, "pre_dispatch": "all"}
    if not verbose:
        return Parallel(**sized)
    try:
        return Parallel(**sized, return_as="generator")
    except ValueError:
        # some backends of joblib return all at once: the bar then moves at the end
        return Parallel(**sized)


def cut_blocks(n: int, n_jobs: int, largest: int) -> list[slice]:
    """Cut n problems into blocks that shrink: few to send, and workers end at the same time.

    Examples
    --------
    >>> [block.stop - block.start for block in cut_blocks(55, 2, largest=55)]
    [14, 11, 8, 6, 4, 3, 3, 2, 2, 2]
    >>> cut_blocks(55, 1, largest=55)
    [slice(0, 55, None)]
    """
    if n_jobs == 1 and largest >= n:
        return [slice(0, n)]
    smallest = math.ceil(n / n_jobs * LAST_BLOCK)
    blocks, start = [], 0
    while start < n:
        size = min(largest, max(smallest, math.ceil((n - start) / (2 * n_jobs))))
        blocks.append(slice(start, min(n, start + size)))
        start += size
    return blocks


def _fit_block(
    estimator: Any, data: Rows, problems: list[tuple[Pair, int]], names: list[str]
) -> list[Any]:
    data, make = received(data), seeded_copies(estimator)

    def fit(pair: Pair, seed: int) -> Any:
        return _fit_pair(make(seed), data, pair, names)

    with one_thread_if_small(data.X):
        fitted = [fit(*problems[0])]
        # all copies have the parameters that the first fit has checked
        with config_context(skip_parameter_validation=True):
            fitted += [fit(*problem) for problem in problems[1:]]
    return fitted


def _fit_pair(model: Any, data: Rows, pair: Pair, names: Sequence[str]) -> Any:
    first, second = data.ranks[:, pair[0]], data.ranks[:, pair[1]]
    outcome = np.where(first < second, BEFORE, np.where(first == second, TIED, BEHIND))
    # comparisons with NaN are false
    rows = (first != second) & ~np.isnan(first) & ~np.isnan(second)
    if data.ties:
        rows = rows | (first == second)
    X, weights = data.X, data.weights
    if data.values is not None:
        own = pair_weights(data.values[:, pair], data.ranks[:, pair])[:, 0]
        weights = own if weights is None else own * weights
    if not rows.all():
        X, outcome = take_rows(X, rows), outcome[rows]
        weights = None if weights is None else weights[rows]
    try:
        return model.fit(X, outcome.astype(np.int64), **dict.fromkeys(data.keywords, weights))
    except Exception as error:
        raise_for_pair(error, "fitting", model, pair, names)


def raise_for_pair(
    error: Exception, doing: str, model: Any, pair: Pair, names: Sequence[str]
) -> Any:
    """Raise `error` again with the names of the two labels whose problem it is."""
    return raise_naming(
        error, f"{doing} the pair of labels {names[pair[0]]} and {names[pair[1]]}", model
    )


def _with_bar(blocks: Iterable[list[Any]], sizes: list[int]) -> Iterable[list[Any]]:
    with Progress("fitting pairs", sum(sizes), shown=True, patience=0.0) as bar:
        for block, size in zip(blocks, sizes, strict=True):
            bar.advance(size)
            yield block
