"""Random rankings for the tests of the metrics."""

import numpy as np
import pytest


def _draw_pair(seed, n_labels, *, complete=False, n_rows=20):
    """Truth and prediction; unless `complete`, both with ties and the truth with gaps."""
    rng = np.random.default_rng(seed)
    if complete:
        return tuple(rng.random((n_rows, n_labels)).argsort(axis=1) + 1.0 for _ in range(2))
    # Few levels make many ties; a row of one level, or of no label at all, comes up as well.
    levels = rng.integers(1, 2 * n_labels + 1, size=(2, n_rows, 1))
    true, pred = rng.integers(1, levels + 1, size=(2, n_rows, n_labels)).astype(float)
    gaps = rng.random((n_rows, n_labels)) < rng.choice([0.0, 0.3, 0.9], size=(n_rows, 1))
    true[gaps] = np.nan
    pred[gaps & (rng.random(gaps.shape) < 0.5)] = np.nan
    return true, pred


@pytest.fixture(scope="session")
def draw_pair():
    return _draw_pair
