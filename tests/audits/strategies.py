"""Ranks as users bring them: complete or not, tied or not."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


@st.composite
def rankings(draw, max_rows=12, max_labels=6):
    shape = (draw(st.integers(1, max_rows)), draw(st.integers(2, max_labels)))
    cells = st.one_of(st.integers(1, 4).map(float), st.just(np.nan))
    return draw(arrays(np.float64, shape, elements=cells))


@st.composite
def problems(draw):
    ranks = draw(rankings())
    shape = (len(ranks), draw(st.integers(1, 2)))
    cells = st.sampled_from([0.0, -0.0, 1.0, np.nan])
    return draw(arrays(np.float64, shape, elements=cells)), ranks
