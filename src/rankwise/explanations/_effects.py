"""Which columns decide where each label stands, for any ranker: exchange their cells between rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_integer, check_numbers, check_rows

Floats = NDArray[np.float64]

# Each row gets the cells of so many others.
N_DONORS = 3
# Rows of one call hold about this many cells.
CELLS = 1 << 20


@check_arguments
def column_effects(
    positions_of: Callable[[Floats], Floats],
    X: Floats,
    columns: Sequence[Sequence[int]],
    *,
    seed: int = 0,
) -> Floats:
    """Return by how many places labels move when a column gets its cells from another row.

    Parameters
    ----------
    positions_of : callable
        From rows to predicted positions, such as ``model.predict_positions``.
    X : ndarray of shape (n_samples, n_features)
        Rows that are alike the training rows; NaN = missing.
    columns : sequence of sequences of int
        Which features belong together and are exchanged at once, such as those of one text column.
    seed : int
        Decides who gets whose cells.

    Returns
    -------
    ndarray of shape (n_labels, n_columns)
        Mean distance between the positions before and after, over the rows; 0: the column has no say.

    Examples
    --------
    The hour decides between tea and coffee, the weekday does not:

    >>> X = np.array([[8.0, 1], [9, 2], [17, 3], [18, 4]])
    >>> def positions(X):
    ...     return np.where(X[:, [0]] < 12, [1.0, 2.0], [2.0, 1.0])
    >>> column_effects(positions, X, [[0], [1]]) > 0
    array([[ True, False],
           [ True, False]])
    """
    check_numbers("X", X, 2)
    check_integer("seed", seed, 0)
    for places in columns:
        check_rows("columns", np.asarray(places), X.shape[1], "features")
    n = len(X)
    order = np.random.default_rng(seed).permutation(n)
    before = np.asarray(positions_of(X), dtype=np.float64)
    effects = np.zeros((before.shape[1], len(columns)))
    # in a circle, so that nobody gets back its own
    steps = [step for step in range(1, N_DONORS + 1) if step % n]
    donors = [np.empty(n, dtype=np.int64) for _ in steps]
    for donor, step in zip(donors, steps, strict=True):
        donor[order] = np.roll(order, step)
    tasks = [(column, donor) for column in range(len(columns)) for donor in donors]
    together = max(1, CELLS // max(1, X.size))
    for start in range(0, len(tasks), together):
        batch = tasks[start : start + together]
        mixed = np.tile(X, (len(batch), 1)).reshape(len(batch), *X.shape)
        for rows, (column, donor) in zip(mixed, batch, strict=True):
            own = list(columns[column])
            rows[:, own] = X[donor][:, own]
        after = np.asarray(positions_of(mixed.reshape(-1, X.shape[1]))).reshape(len(batch), n, -1)
        moved = np.abs(after - before).mean(axis=1)
        for (column, _), by_label in zip(batch, moved, strict=True):
            effects[:, column] += by_label / len(donors)
    return effects
