"""Values of a feature as codes: the place of the last of its bins that starts at or below the value."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit

# Rows whose codes are searched for together, step by step, so that vector instructions do it.
TOGETHER = 256


@jit(allocates=False)
def write_codes(X, feature, size, lowest, numbers, places, codes):
    """Write the codes of a feature of `size` bins; a gap is behind them all.

    `lowest` are the starts of the bins, ascending, and infinite up to a power of two. `numbers` and
    `places` are memory for TOGETHER rows.
    """
    for start in range(0, X.shape[0], TOGETHER):
        rows, out = X[start : start + TOGETHER, feature], codes[start : start + TOGETHER, feature]
        n = rows.shape[0]
        for i in range(n):
            numbers[i] = rows[i]
        for i in range(TOGETHER):
            places[i] = 0
        step = np.uint64(lowest.shape[0]) >> np.uint64(1)
        while step > 0:
            for i in range(TOGETHER):
                place = places[i]
                places[i] = place + np.uint64(lowest[place + step] <= numbers[i]) * step
            step >>= np.uint64(1)
        for i in range(n):
            out[i] = size if np.isnan(numbers[i]) else places[i]
