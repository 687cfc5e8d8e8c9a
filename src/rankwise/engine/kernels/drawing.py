"""Which rows a sample has."""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit


@jit(allocates=False)
def list_drawn(times, counts, rows):
    """Write how often each row was drawn, and the rows that were; return how many, and the most often.

    One call, for threads that draw samples hand each other the interpreter at every one.
    """
    n, most = np.int64(0), np.int64(0)
    for r in range(times.shape[0]):
        counts[r] = times[r]
        most = max(most, times[r])
        rows[n] = r
        n += times[r] > 0
    return n, most
