"""Jitted loop that looks for contradictions among rows with equal features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise._jit import jit


@jit
def contradicted_pairs(
    ranks: NDArray[np.float64],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    n_pairs: NDArray[np.int64],
) -> None:
    """``n_pairs[g]`` = pairs of labels that rows of group g put in both orders; NaN never counts.

    Group g is ``rows[starts[g] : starts[g + 1]]``. Linear in rows, square in labels.
    """
    k = ranks.shape[1]
    before = np.zeros((k, k), dtype=np.uint8)
    for g in range(len(n_pairs)):
        before[:] = 0
        for place in range(starts[g], starts[g + 1]):
            r = rows[place]
            for i in range(k):
                for j in range(k):
                    if ranks[r, i] < ranks[r, j]:
                        before[i, j] = 1
        n_pairs[g] = 0
        for i in range(k):
            for j in range(i):
                n_pairs[g] += before[i, j] & before[j, i]
