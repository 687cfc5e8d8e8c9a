"""Values of a feature as codes: the place of the last of its bins that starts at or below the value."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit

# So many codes the eight steps of a search tell apart.
MOST_CODES = 256


@jit(allocates=False, inner=True, forceinline=True)
def step_on(lowest, place, step, x):
    """The place, or that `step` further if the value is beyond it; without a branch to be guessed."""
    step = np.uint64(step)
    return place + np.uint64(lowest[place + step] <= x) * step


@jit(allocates=False)
def write_codes(X, feature, size, lowest, codes):
    """Write the codes of a feature of `size` bins, at most MOST_CODES; a gap is behind them all.

    `lowest` are the starts of the bins, ascending, and infinite up to MOST_CODES.
    """
    for r in range(X.shape[0]):
        x = np.float64(X[r, feature])
        place = step_on(lowest, np.uint64(0), 128, x)
        place = step_on(lowest, place, 64, x)
        place = step_on(lowest, place, 32, x)
        place = step_on(lowest, place, 16, x)
        place = step_on(lowest, place, 8, x)
        place = step_on(lowest, place, 4, x)
        place = step_on(lowest, place, 2, x)
        place = step_on(lowest, place, 1, x)
        codes[r, feature] = size if np.isnan(x) else place
