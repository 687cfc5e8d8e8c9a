"""One classification problem per pair of labels: its rows, its classes, its fitted classifier."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

from rankwise._parallel import no_more_than, received, shared
from rankwise._progress import Progress
from rankwise.classifiers import (
    fit_logistics,
    is_plain_logistic,
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
    with Progress("fitting pairs", len(pairs), shown=bool(verbose), patience=0.0) as bar:
        models = _fit_together(estimator, data, pairs, bar)
        seeds = zip(pairs, spawn_seeds(seed, len(pairs)), strict=True)
        alone = [(pair, own) for pair, own in seeds if pair not in models]
        if alone:
            models |= _fit_alone(estimator, data, alone, names, n_jobs, bar if verbose else None)
    return {pair: models[pair] for pair in pairs}


def _fit_together(
    estimator: Any, data: Rows, pairs: Sequence[Pair], bar: Progress
) -> dict[Pair, Any]:
    """Logistic regressions of pairs that the same rows order, solved at once; others are left out.

    Whatever goes wrong is left out too: fitted alone it is named.
    """
    if not is_plain_logistic(estimator) or get_config()["enable_metadata_routing"]:
        return {}
    alike: dict[bytes, list[Pair]] = {}
    for pair in pairs:
        rows, outcome, weights = _problem_of(data, pair)
        if not (outcome[rows] == TIED).any():
            kept = rows.tobytes() + (b"" if weights is None else weights.tobytes())
            alike.setdefault(hashlib.sha256(kept).digest(), []).append(pair)
    found: dict[Pair, Any] = {}
    for some in alike.values():
        rows, _, weights = _problem_of(data, some[0])
        before = [_problem_of(data, pair)[1][rows] == BEFORE for pair in some]
        X = data.X if rows.all() else take_rows(data.X, rows)
        own = None if weights is None else weights[rows]
        with suppress(Exception), one_thread_if_small(X):
            fitted = fit_logistics(estimator, X, np.stack(before, axis=1), own, data.keywords)
            found |= dict(zip(some, fitted, strict=True))
            bar.advance(len(some))
    return found


def _fit_alone(
    estimator: Any,
    data: Rows,
    problems: list[tuple[Pair, int]],
    names: Sequence[str],
    n_jobs: int | None,
    bar: Progress | None,
) -> dict[Pair, Any]:
    """Each pair with its own seed, in blocks that workers share."""
    n_jobs = no_more_than(len(problems), n_jobs)
    largest = math.ceil(len(problems) / BAR_STEPS) if bar else len(problems)
    blocks = cut_blocks(len(problems), effective_n_jobs(n_jobs), largest)
    rows = shared(data)
    fitted = _open_workers(n_jobs, one_by_one=bar is not None)(
        delayed(_fit_block)(estimator, rows, problems[block], list(names)) for block in blocks
    )
    if bar:
        fitted = _moving(bar, fitted)
    models = (model for block in fitted for model in block)
    return {pair: model for (pair, _), model in zip(problems, models, strict=True)}


def _open_workers(n_jobs: int | None, one_by_one: bool) -> Any:
    # Blocks are sized here: joblib's own batches would grow, and leave workers idle at the end.
    sized: dict[str, Any] = {"n_jobs": n_jobs, "batch_size": 1, "pre_dispatch": "all"}
    if not one_by_one:
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


def _problem_of(
    data: Rows, pair: Pair
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64] | None]:
    """Which rows teach a pair; and of all rows its outcome, and what they count."""
    first, second = data.ranks[:, pair[0]], data.ranks[:, pair[1]]
    outcome = np.where(first < second, BEFORE, np.where(first == second, TIED, BEHIND))
    # comparisons with NaN are false
    rows = (first != second) & ~np.isnan(first) & ~np.isnan(second)
    if data.ties:
        rows = rows | (first == second)
    weights = data.weights
    if data.values is not None:
        own = pair_weights(data.values[:, pair], data.ranks[:, pair])[:, 0]
        weights = own if weights is None else own * weights
    return rows, outcome, weights


def _fit_pair(model: Any, data: Rows, pair: Pair, names: Sequence[str]) -> Any:
    X, (rows, outcome, weights) = data.X, _problem_of(data, pair)
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


def _moving(bar: Progress, blocks: Iterable[list[Any]]) -> Iterable[list[Any]]:
    for block in blocks:
        bar.advance(len(block))
        yield block
