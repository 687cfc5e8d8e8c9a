"""Rows with equal features: how many, and whether their rankings contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._cells import for_kernels
from rankwise.audits._kernels import contradicted_pairs

Matrix = NDArray[np.float64]

_N_EXAMPLES = 5


@check_arguments
@dataclass(frozen=True)
class Repeats:
    """Rows whose features are equal.

    Attributes
    ----------
    n_groups, n_rows : int
        Groups of two or more rows with equal features (missing equals missing), and their rows.
    n_contradictory_groups, n_contradictory_rows : int
        Groups in which two rows put the same two labels in opposite orders, and their rows.
    examples : tuple of tuples
        The first rows of the first contradictory groups.
    """

    n_groups: int
    n_rows: int
    n_contradictory_groups: int
    n_contradictory_rows: int
    examples: tuple[tuple[Any, ...], ...]


def find_repeats(X: Matrix, ranks: Matrix, names: Sequence[Any] | None = None) -> Repeats:
    """Group rows by their features, then look for contradictions within groups.

    Rows are called by their names, or by number from 0.
    """
    if not X.shape[1]:
        return Repeats(0, 0, 0, 0, ())
    group = _groups(X)
    sizes = np.bincount(group)
    repeated = np.flatnonzero(sizes > 1)
    rows = np.argsort(group, kind="stable").astype(np.int64)
    rows = rows[sizes[group[rows]] > 1]
    starts = np.concatenate([[0], np.cumsum(sizes[repeated])]).astype(np.int64)
    n_pairs = np.zeros(len(repeated), dtype=np.int64)
    contradicted_pairs(for_kernels(ranks), rows, starts, n_pairs)
    at_odds = np.flatnonzero(n_pairs)
    return Repeats(
        n_groups=len(repeated),
        n_rows=len(rows),
        n_contradictory_groups=len(at_odds),
        n_contradictory_rows=int(sizes[repeated][at_odds].sum()),
        examples=tuple(
            tuple(
                row if names is None else names[row]
                for row in rows[starts[g] : starts[g + 1]][:_N_EXAMPLES].tolist()
            )
            for g in at_odds[:_N_EXAMPLES]
        ),
    )


def _groups(X: Matrix) -> NDArray[np.int64]:
    """Give each distinct row of `X` a number, in order of appearance."""
    # Adding 0 turns -0 into 0; one bit pattern stands for all kinds of NaN.
    canonical = np.ascontiguousarray(X + 0.0)
    canonical[np.isnan(canonical)] = np.nan
    cells = canonical.view(np.dtype((np.void, canonical.shape[1] * canonical.itemsize)))
    _, first, group = np.unique(cells.ravel(), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[group]
