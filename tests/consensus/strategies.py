"""Random rankings of every kind that this package takes."""

import numpy as np
from hypothesis import strategies as st


def random_rankings(rng, n, k, *, missing=0.0, ties=False):
    """Ranks drawn uniformly; with ties each label draws its own rank from a few."""
    if ties:
        Y = rng.integers(1, max(2, k // 2) + 1, size=(n, k)).astype(float)
    else:
        Y = np.argsort(np.argsort(rng.random((n, k)), axis=1), axis=1) + 1.0
    Y[rng.random((n, k)) < missing] = np.nan
    return Y


def cyclic_support(rng, k, *, high=20):
    """Margins with no order in them: most labels stand in one knot of cycles."""
    W = rng.integers(0, high, size=(k, k)).astype(float)
    np.fill_diagonal(W, 0.0)
    return W


@st.composite
def rankings(draw, max_labels=6, max_rows=8):
    """Rankings with missing and tied labels, small enough for the plain twins."""
    k = draw(st.integers(2, max_labels))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    missing = draw(st.sampled_from([0.0, 0.3, 0.7]))
    return random_rankings(rng, n, k, missing=missing, ties=draw(st.booleans()))
