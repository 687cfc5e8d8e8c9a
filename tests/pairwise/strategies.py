"""Small problems with missing and tied labels."""

import numpy as np
from hypothesis import strategies as st

NAN = float("nan")


@st.composite
def problems(draw, max_labels=5):
    """Features (n, 2) and ranks (n, k) with missing and tied labels, at least one comparison."""
    k = draw(st.integers(2, max_labels))
    n = draw(st.integers(2, 12))
    rank = st.one_of(st.integers(1, k).map(float), st.just(NAN))
    Y = np.array(draw(st.lists(st.lists(rank, min_size=k, max_size=k), min_size=n, max_size=n)))
    Y[0, :2] = [1, 2]
    X = np.array(
        draw(st.lists(st.tuples(*[st.integers(-5, 5)] * 2), min_size=n, max_size=n)), dtype=float
    )
    return X, Y
