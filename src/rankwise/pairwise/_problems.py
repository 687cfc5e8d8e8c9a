"""One classification problem per pair of labels: its rows, its classes, its fitted classifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from rankwise.pairwise._classifier import open_seeds, set_seeds

Pair = tuple[int, int]

# Blocks per worker: few enough that shared arrays are sent rarely, enough to even out the load.
BLOCKS_PER_JOB = 8
# Steps of a progress bar, at least.
BAR_STEPS = 50


def count_wins(ranks: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return (k, k): the number of rows that put the row label strictly before the column label.

    Examples
    --------
    >>> count_wins(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, np.nan]]))
    array([[0, 1, 1],
           [1, 0, 1],
           [0, 0, 0]])
    """
    return np.stack([(column[:, None] < ranks).sum(axis=0) for column in ranks.T])


def contested_pairs(wins: NDArray[np.int64]) -> list[Pair]:
    """Return the pairs i < j that were seen in both orders: those that a classifier can learn.

    Examples
    --------
    >>> contested_pairs(np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]]))
    [(0, 1)]
    """
    pairs = combinations(range(len(wins)), 2)
    return [(i, j) for i, j in pairs if wins[i, j] and wins[j, i]]


def share_features(X: NDArray[Any]) -> NDArray[Any]:
    """Return X as every pair reads it: floats by rows, converted once, and safe from writing.

    Examples
    --------
    >>> share_features(np.array([[True, False]]))
    array([[1., 0.]])
    """
    # Integers and column order would be converted anew, and copied, in each of k (k - 1) / 2 fits.
    shared = np.ascontiguousarray(X, dtype=X.dtype if X.dtype.kind == "f" else np.float64).view()
    shared.flags.writeable = False
    return shared


def fit_pairs(
    estimator: Any,
    X: NDArray[Any],
    ranks: NDArray[np.float64],
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
    seeds = np.random.SeedSequence(seed).generate_state(len(pairs)) >> 1
    n_blocks = max(BLOCKS_PER_JOB * effective_n_jobs(n_jobs), BAR_STEPS if verbose else 1)
    blocks = np.array_split(np.arange(len(pairs)), min(len(pairs), n_blocks))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if verbose else "list")
    fitted = parallel(
        delayed(_fit_block)(
            estimator, X, ranks, [(pairs[p], int(seeds[p])) for p in block], list(names)
        )
        for block in blocks
    )
    if verbose:
        fitted = _with_bar(fitted, [len(block) for block in blocks])
    return dict(zip(pairs, (model for block in fitted for model in block), strict=True))


def _fit_block(
    estimator: Any,
    X: NDArray[Any],
    ranks: NDArray[np.float64],
    problems: list[tuple[Pair, int]],
    names: list[str],
) -> list[Any]:
    is_open = open_seeds(estimator)
    fitted: list[Any] = []
    for pair, seed in problems:
        model = clone(estimator)
        set_seeds(model, is_open, seed)
        # all clones have the parameters that the first fit has checked
        with config_context(skip_parameter_validation=bool(fitted) or None):
            fitted.append(_fit_pair(model, X, ranks, pair, names))
    return fitted


def _fit_pair(
    model: Any,
    X: NDArray[Any],
    ranks: NDArray[np.float64],
    pair: Pair,
    names: Sequence[str],
) -> Any:
    first, second = ranks[:, pair[0]], ranks[:, pair[1]]
    before = first < second
    # comparisons with NaN are false, and so are both for a tie
    rows = before | (first > second)
    try:
        if rows.all():
            return model.fit(X, before.astype(np.int64))
        return model.fit(X[rows], before[rows].astype(np.int64))
    except Exception as error:
        raise_for_pair(error, "fitting", model, pair, names)


def raise_for_pair(
    error: Exception, doing: str, model: Any, pair: Pair, names: Sequence[str]
) -> Any:
    """Raise `error` again with the names of the two labels whose problem it is."""
    where = f"{doing} the pair of labels {names[pair[0]]} and {names[pair[1]]}"
    if isinstance(error, ValueError | TypeError):
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{where}: {type(model).__name__}: {error}") from error
    error.add_note(where)
    raise error


def _with_bar(blocks: Iterable[list[Any]], sizes: list[int]) -> Iterable[list[Any]]:
    # Imported here: most fits show nothing.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("fitting pairs", total=sum(sizes))
        for block, size in zip(blocks, sizes, strict=True):
            bar.advance(task, size)
            yield block
