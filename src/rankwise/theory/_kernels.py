"""Scan all features for the heterogeneity V that a split on each of them would reach."""

import numpy as np

from rankwise._jit import jit


@jit
def extended_v(codes, n_bins, cells, n_cells, y, table, out):
    """Write V(S + i), estimated without bias, for every feature i.

    `cells` says in which cell of the splits S each row lies. `table` is scratch of shape
    (n_cells * most bins, 3): rows, sum and sum of squares of y per cell and bin, side by side so
    that one row of data touches one cache line.
    """
    n_features, n_samples = codes.shape
    for i in range(n_features):
        b = n_bins[i]
        used = n_cells * b
        table[:used] = 0.0
        for row in range(n_samples):
            at = cells[row] * b + codes[i, row]
            value = y[row]
            table[at, 0] += 1.0
            table[at, 1] += value
            table[at, 2] += value * value
        v = 0.0
        for at in range(used):
            if table[at, 0] > 1.0:
                # Products of two different rows of the cell: no row is multiplied by itself.
                total = table[at, 1]
                v += (total * total - table[at, 2]) / (table[at, 0] - 1.0)
        out[i] = v / n_samples


def v_after_split(
    codes: np.ndarray, n_bins: np.ndarray, cells: np.ndarray, n_cells: int, y: np.ndarray
) -> np.ndarray:
    """Return what `extended_v` writes."""
    v = np.empty(len(n_bins))
    extended_v(codes, n_bins, cells, n_cells, y, np.empty((n_cells * int(n_bins.max()), 3)), v)
    return v
