"""Hypothesis strategies for rankings."""

import numpy as np
from hypothesis import strategies as st

from rankwise.rankings import ranks_from_scores


@st.composite
def ranks_matrices(draw, max_labels=200, missing=True, ties=True):
    """Dense ranks of up to five rows, with missing and tied labels."""
    n = draw(st.integers(1, 5))
    k = draw(st.one_of(st.integers(2, min(6, max_labels)), st.integers(2, max_labels)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.integers(1, k)) if ties else None
    scores = rng.random((n, k)) if levels is None else rng.integers(levels, size=(n, k)) * 1.0
    if missing:
        scores[rng.random((n, k)) < draw(st.sampled_from([0, 0.2, 0.8]))] = np.nan
    return ranks_from_scores(scores)
