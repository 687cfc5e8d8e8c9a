"""Small problems for the baselines: distances all differ, rankings complete, incomplete or tied."""

import numpy as np
from hypothesis import strategies as st

NAN = float("nan")


@st.composite
def rankings(draw, missing=False, ties=False, max_labels=5, max_rows=10):
    """Ranks (n, k); the first row puts label 0 before label 1."""
    k = draw(st.integers(2, max_labels))
    n = draw(st.integers(2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    Y = np.argsort(rng.random((n, k)), axis=1) + 1.0
    if ties:
        Y = rng.integers(1, k + 1, (n, k)).astype(float)
    if missing:
        Y[rng.random((n, k)) < draw(st.sampled_from([0.2, 0.5]))] = NAN
    Y[0] = np.arange(1, k + 1)
    return Y


def features(n, seed=0):
    """Rows whose distances all differ."""
    return np.random.default_rng(seed).normal(size=(n, 3))
